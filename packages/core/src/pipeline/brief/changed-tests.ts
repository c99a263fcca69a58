import type { Suspect } from '../../domain/suspect.js';
import type { Diff } from '../../ports/code-host.js';
import { kindOf } from '../rank/file-kind.js';

/** A test, and the commit that changed it together with one of the files. */
export interface ChangedTest {
  readonly path: string;
  readonly sha: string;
}

const MOST_TESTS = 6;
const MOST_PER_COMMIT = 3;
/** Files of a commit that is about one thing. What a larger one changed together need not belong together. */
const MOST_FILES = 20;
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
    if (diff.truncated || diff.files.length > MOST_FILES) continue;
    if (!diff.files.some(({ path, old_path }) => files.includes(path) || files.includes(old_path))) continue;
    const tests = diff.files.filter(
      ({ path, status }) => status !== 'removed' && kindOf(path) === 'test' && !DATA.test(path),
    );
    for (const { path } of tests.slice(0, MOST_PER_COMMIT))
      if (found.size < MOST_TESTS && !found.has(path) && !files.includes(path)) found.set(path, diff.sha);
  }
  return [...found].map(([path, sha]) => ({ path, sha }));
}
