import type { RevisionHints, Tree } from '@culprit/core/connector';
import type { CommitRange } from '@culprit/core/internal/ports/code-host';
import { familyOf, firstVersion } from '../shared/version-tags.js';
import type { GitReader } from './client.js';
import { LISTED_FORMAT, parseListed } from './commits.js';
import { parentsOf } from './objects.js';
import type { Opened } from './repository.js';
import { lookUp, revisionCandidates } from './revision.js';
import { decode, FULL_SHA, parseTimestamps } from './text.js';

/** See `CodeHost.contains`. A shallow clone lacks the history that would tell. */
export async function containsCommit(
  { git, repository }: Opened,
  commit: string,
  hints: RevisionHints,
): Promise<boolean | null> {
  if (repository.shallow !== null || !FULL_SHA.test(commit)) return null;
  const found = await lookUp(
    git,
    revisionCandidates(hints).filter(({ how }) => how !== 'head'),
  );
  const revision = found.find((sha) => sha !== null) ?? null;
  if (revision === null || !(await parentsOf(git, [commit])).has(commit)) return null;
  const outcome = await git.run(['merge-base', '--is-ancestor', commit, revision]);
  if (outcome.kind !== 'exited' || outcome.code > 1) return null;
  return outcome.code === 0;
}

/** See `Ancestry.range`. A shallow clone lacks the history that would tell. */
export async function commitRange(
  { git, repository }: Opened,
  from: string,
  to: string,
  most: number,
): Promise<CommitRange | null> {
  if (repository.shallow !== null || !FULL_SHA.test(from) || !FULL_SHA.test(to)) return null;
  const known = await parentsOf(git, [from, to]);
  if (!known.has(from) || !known.has(to)) return null;
  const options = ['-z', `--max-count=${most + 1}`, `--format=${LISTED_FORMAT}`];
  const found = parseListed(await git.output(['log', ...options, `${from}..${to}`, '--']));
  return { commits: found.slice(0, most), more: found.length > most };
}

/** Tags looked at: the earliest ones with the commit. */
const MAX_TAGS = 200;

/**
 * The earliest tag of a version that contains a commit. `null` if the necessary history is missing, or if versions of
 * several packages contain it: then nobody knows which of them the crashed program belongs to.
 */
export async function firstRelease({ git, repository }: Opened, commit: string): Promise<string | null> {
  if (repository.shallow !== null || !FULL_SHA.test(commit)) return null;
  const outcome = await git.run(
    [
      'for-each-ref',
      `--contains=${commit}`,
      '--sort=version:refname',
      '--sort=creatordate',
      `--count=${MAX_TAGS}`,
      '--format=%(refname:strip=2)',
      'refs/tags',
    ],
    { refs: true },
  );
  if (outcome.kind !== 'exited' || outcome.code !== 0) return null;
  return firstVersion(decode(outcome.stdout).split('\n'));
}

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
