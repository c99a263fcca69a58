import type { Tree } from '@culprit/core';
import { familyOf } from '../shared/version-tags.js';
import { parseTimestamps } from './blame.js';
import type { GitReader } from './client.js';
import { decode } from './text.js';

const TAG = /^[A-Za-z0-9@._+/-]{1,200}$/;

/**
 * The release before a tagged commit: the nearest earlier tag with the same name up to the first digit (`v1.4.0` for
 * `v1.4.1`, `cart@2.0.0` for `cart@2.1.0`). `null` if the commit has no tag or nothing was released before.
 */
export async function previousRelease(
  git: GitReader,
  sha: string,
): Promise<NonNullable<Tree['previous_release']> | null> {
  const describe = async (...args: readonly string[]): Promise<string | null> => {
    const outcome = await git.run(['describe', '--tags', ...args], { refs: true });
    const tag = outcome.kind === 'exited' && outcome.code === 0 ? decode(outcome.stdout).trim() : '';
    return TAG.test(tag) && !tag.startsWith('-') ? tag : null;
  };
  const own = await describe('--exact-match', sha);
  if (own === null) return null;
  const family = familyOf(own);
  const tag = await describe('--abbrev=0', `--match=${family}[0-9]*`, `${sha}^`);
  if (tag === null) return null;
  const output = await git.output(
    ['rev-list', '--timestamp', '--no-walk', `refs/tags/${tag}^{commit}`, '--'],
    { refs: true },
  );
  const [commit] = parseTimestamps(output);
  return commit === undefined ? null : { tag, sha: commit.sha, committed_at: commit.committed_at };
}
