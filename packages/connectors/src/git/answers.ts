import type { Blame, BlamedFile, OwnersFile, Tree } from '@culprit/core';
import { type BoundedMap, boundedMap } from '@culprit/core/resilience';
import { type Change, sizeOf } from './change.js';
import type { BareCommit } from './commits.js';

export type Listing = Pick<Tree, 'paths' | 'truncated' | 'submodules'>;

const MEGABYTE = 1024 * 1024;

/**
 * What was read, by repository and SHA, so that it never changes: for the steps of one analysis, and for the next one in
 * the same repository. In memory and limited.
 */
export interface Answers {
  readonly trees: BoundedMap<string, Listing>;
  readonly files: BoundedMap<string, BlamedFile>;
  readonly recent: BoundedMap<string, Blame['recent']>;
  readonly commits: BoundedMap<string, BareCommit>;
  readonly parents: BoundedMap<string, readonly string[]>;
  readonly changes: BoundedMap<string, Change>;
  readonly owners: BoundedMap<string, { readonly file: OwnersFile | null }>;
}

export function createAnswers(): Answers {
  return {
    trees: boundedMap(4),
    files: boundedMap(256, { most: 32 * MEGABYTE, of: weightOf }),
    recent: boundedMap(64),
    commits: boundedMap(4_000, { most: 16 * MEGABYTE, of: ({ message }) => message.length + 500 }),
    parents: boundedMap(10_000),
    changes: boundedMap(2_000, { most: 48 * MEGABYTE, of: sizeOf }),
    owners: boundedMap(64, { most: 8 * MEGABYTE, of: ({ file }) => 1 + (file?.text?.length ?? 0) }),
  };
}

function weightOf({ lines, ranges }: BlamedFile): number {
  const text = lines?.reduce((sum, line) => sum + line.length, 0) ?? 0;
  return 1 + text + ranges.length * 200;
}
