import type { DiffFile } from '@culprit/core';
import type { GitReader } from './client.js';
import { decode } from './text.js';

/** Paths passed to git by name. */
const MAX_PATHS = 1_000;
const NO_OBJECT = /^0+$/;
const SUBMODULE = '160000';
const CHANGE = /^:(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])$/;

export interface Presence {
  /** Files whose content is present on both sides. */
  readonly paths: readonly string[];
  /** Files with missing content, and those beyond the limit, without hunks. */
  readonly missing: readonly DiffFile[];
}

/** Which files of a change can be compared in a partial clone; git itself stops at the first missing one. */
export async function presentFiles(git: GitReader, range: readonly string[]): Promise<Presence> {
  const options = ['-r', '--no-commit-id', '--no-renames', '--no-abbrev', '--raw', '-z'];
  const changes = parseRaw(decode(await git.output(['diff-tree', ...options, ...range, '--'])));
  const input = [...new Set(changes.flatMap(({ oids }) => oids))].map((oid) => `${oid}\n`).join('');
  const checked = await git.output(['cat-file', '--batch-check'], { input });
  const lost = new Set([...decode(checked).matchAll(/^([0-9a-f]+) missing$/gm)].map(([, oid]) => oid));
  const paths: string[] = [];
  const missing: DiffFile[] = [];
  for (const { path, status, oids } of changes) {
    if (paths.length < MAX_PATHS && !oids.some((oid) => lost.has(oid))) paths.push(path);
    else if (missing.length < MAX_PATHS) missing.push({ path, old_path: path, status, hunks: [] });
  }
  return { paths, missing };
}

interface Change {
  readonly path: string;
  readonly status: DiffFile['status'];
  /** Content objects that a comparison reads. */
  readonly oids: readonly string[];
}

function parseRaw(text: string): readonly Change[] {
  const tokens = text.split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < tokens.length; at += 2) {
    const [, before = '', after = '', old = '', now = '', letter] = CHANGE.exec(tokens[at] ?? '') ?? [];
    const sides = [
      { mode: before, oid: old },
      { mode: after, oid: now },
    ];
    changes.push({
      path: tokens[at + 1] ?? '',
      status: letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified',
      oids: sides.flatMap(({ mode, oid }) => (mode === SUBMODULE || NO_OBJECT.test(oid) ? [] : [oid])),
    });
  }
  return changes;
}
