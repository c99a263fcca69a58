import type { CodeOwner, OwnersProblem, OwnersProblemCode } from '../../domain/ownership.js';
import type { PathPattern } from './path-pattern.js';

/** A line of a code owners file. */
export interface ParsedRule {
  readonly line: number;
  /** As written. */
  readonly pattern: string;
  readonly path: PathPattern;
  readonly owners: readonly CodeOwner[];
}

/** Rules that are decided together; of those that match, the last one counts. */
export interface RuleSection {
  /** `null`: the rules outside of any section. */
  readonly name: string | null;
  /** In the order in which they are tried. */
  readonly rules: readonly ParsedRule[];
  /** Files that match one of them have no rule in this section. */
  readonly excluded: readonly PathPattern[];
}

export interface ParsedOwners {
  readonly sections: readonly RuleSection[];
  readonly problems: readonly OwnersProblem[];
}

/** Listed problems of one file. */
const MAX_PROBLEMS = 20;
const PATTERN_CHARS = 1_000;

export interface ProblemList {
  readonly all: readonly OwnersProblem[];
  add(line: number, code: OwnersProblemCode): void;
}

export function problemList(): ProblemList {
  const all: OwnersProblem[] = [];
  return {
    all,
    add: (line, code) => {
      if (all.length < MAX_PROBLEMS) all.push({ line, code });
    },
  };
}

/** Lines with their numbers, without those that are empty or comments. */
export function* rowsOf(text: string): Generator<readonly [number, string]> {
  let number = 0;
  for (const line of text.replace(/^\ufeff/, '').split('\n')) {
    number += 1;
    const row = line.trim();
    if (row !== '' && !row.startsWith('#')) yield [number, row];
  }
}

/** The pattern of a row, which ends at the first space without a backslash, and the words after it. */
export function splitRow(row: string): { readonly pattern: string; readonly words: readonly string[] } {
  let end = 0;
  while (end < row.length && !/\s/.test(row[end] ?? '')) end += row[end] === '\\' ? 2 : 1;
  const words = row
    .slice(end)
    .split(/\s+/)
    .filter((word) => word !== '');
  return { pattern: row.slice(0, end), words };
}

/** False for patterns that no file needs. */
export function isShort(pattern: string): boolean {
  return pattern.length <= PATTERN_CHARS;
}
