import type { Suspect } from '../../domain/suspect.js';
import type { Diff } from '../../ports/code-host.js';
import { kindOf } from '../rank/file-kind.js';

/** Tests listed in total, and for each file. */
const MAX_TESTS = 10;
const MAX_PER_FILE = 3;
/** Names that say nothing about a file's content; its directory's name is used instead. */
const GENERIC = /^(?:index|main|mod|lib|init|app|server|utils?|helpers?|common|types|constants)$/;
const AFFIXES =
  /^(?:tests?|specs?)[_.-]|[_.-](?:tests?|specs?|e2e|full)$|(?<=[a-z\d])(?:Tests?|Specs?|Suite|IT)$/;
const SHORTEST_NAME = 2;

/**
 * Tests among `paths` that are named after one of the files: `test/cart.test.js`, `cart_test.go`, `CartTest.java` of `src/cart.js`.
 * A guess by name: nothing says that such a test runs the file. Nearest first.
 */
export function relatedTests(paths: readonly string[], files: readonly string[]): readonly string[] {
  const named = files
    .map((file) => ({ file, name: subjectOf(file) }))
    .filter(({ name }) => name.length >= SHORTEST_NAME);
  if (named.length === 0) return [];
  const wanted = new Set(named.map(({ name }) => name));
  // Most files of a tree that may be large end here.
  const hint = new RegExp(`(?:${[...wanted].map(pattern).join('|')})`, 'i');
  const tests = paths
    .filter((path) => hint.test(path) && kindOf(path) === 'test')
    .map((path) => ({ path, name: subjectOf(path) }))
    .filter(({ name }) => wanted.has(name));
  const found = new Set<string>();
  for (const { file, name } of named) {
    const near = tests
      .filter((test) => test.name === name && test.path !== file)
      .map(({ path }) => ({ path, shared: sharedParts(path, file) }))
      .sort((a, b) => b.shared - a.shared || (a.path < b.path ? -1 : 1));
    for (const { path } of near.slice(0, MAX_PER_FILE)) if (found.size < MAX_TESTS) found.add(path);
  }
  return [...found];
}

/** `cart` of `src/cart.js`, `test/cart.test.js`, `CartTest.java` and `src/cart/index.js`. */
function subjectOf(path: string): string {
  const parts = path.split('/');
  const base = stripped(parts.at(-1) ?? '');
  const own = GENERIC.test(base) ? stripped(parts.at(-2) ?? '') : base;
  return own.replaceAll('-', '_');
}

/** A file's name without extensions and what marks it as a test, in lower case. */
function stripped(name: string): string {
  let bare = name.replace(/\.\w+$/, '');
  for (;;) {
    const next = bare.replace(AFFIXES, '');
    if (next === bare || next === '') return bare.replace(/^_+|_+$/g, '').toLowerCase();
    bare = next;
  }
}

/** Names of directories that both paths have, in any place: `test/shop/` mirrors `src/shop/`. */
function sharedParts(path: string, file: string): number {
  const parts = new Set(file.split('/').slice(0, -1));
  return path.split('/').filter((part) => parts.has(part)).length;
}

function pattern(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, (character) => (character === '_' ? '[_-]' : `\\${character}`));
}

/** A test, and the commit that changed it together with one of the files. */
export interface ChangedTest {
  readonly path: string;
  readonly sha: string;
}

const MAX_CHANGED = 6;
const MAX_PER_COMMIT = 3;
/** Files of a commit that is about one thing. What a larger one changed together need not belong together. */
const MAX_FILES = 20;
/** They lie among tests, but nobody runs them. */
const DATA = /(?:^|\/)(?:fixtures|testdata|__snapshots__)\/|\.snap$/;

/**
 * Tests that a commit changed together with one of the files, those of the first suspects first. Such a test knows of the file
 * whatever its name is. It may have been renamed or removed since.
 */
export function changedTests(
  diffs: readonly Diff[],
  files: readonly string[],
  suspects: readonly Pick<Suspect, 'sha'>[],
): readonly ChangedTest[] {
  const rank = ({ sha }: Diff) => {
    const at = suspects.findIndex((suspect) => suspect.sha === sha);
    return at === -1 ? suspects.length : at;
  };
  const found = new Map<string, string>();
  for (const diff of [...diffs].sort((a, b) => rank(a) - rank(b))) {
    if (diff.truncated || diff.files.length > MAX_FILES) continue;
    if (!diff.files.some(({ path, old_path }) => files.includes(path) || files.includes(old_path))) continue;
    const tests = diff.files.filter(
      ({ path, status }) => status !== 'removed' && kindOf(path) === 'test' && !DATA.test(path),
    );
    for (const { path } of tests.slice(0, MAX_PER_COMMIT))
      if (found.size < MAX_CHANGED && !found.has(path) && !files.includes(path)) found.set(path, diff.sha);
  }
  return [...found].map(([path, sha]) => ({ path, sha }));
}
