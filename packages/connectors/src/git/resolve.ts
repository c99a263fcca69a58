import { CulpritError, type RevisionHints, type Tree } from '@culprit/core';
import { parseTimestamps } from './blame.js';
import type { GitReader } from './client.js';
import { parentsOf } from './objects.js';
import { FULL_SHA, type RevisionCandidate, readBatchCheck, revisionCandidates } from './revision.js';
import { decode } from './text.js';

type Revision = Tree['revision'];

/** The commits named by the candidates, resolved in one process; `null` for those that name none. */
export async function lookUp(
  git: GitReader,
  candidates: readonly RevisionCandidate[],
): Promise<readonly (string | null)[]> {
  if (candidates.length === 0) return [];
  const input = candidates.map(({ expression }) => `${expression}\n`).join('');
  const output = await git.output(['cat-file', '--batch-check'], { input, refs: true });
  return readBatchCheck(decode(output), candidates);
}

/** Rejects with `revision_not_found` if the name is not a full SHA or not a commit in the repository. */
export async function requireCommit(git: GitReader, sha: string): Promise<string> {
  const name = sha.toLowerCase();
  if (FULL_SHA.test(name) && (await parentsOf(git, [name])).has(name)) return name;
  throw new CulpritError(
    'revision_not_found',
    `Commit ${JSON.stringify(sha.slice(0, 64))} is not in the repository. Fetch it with "git fetch --all --tags".`,
  );
}

/**
 * The crashed commit: given explicitly, named by the release, or tagged with it; else the newest first-parent commit of
 * HEAD at the time of the crash; else HEAD, as a guess.
 */
export async function resolveRevision(git: GitReader, hints: RevisionHints): Promise<Revision> {
  const candidates = revisionCandidates(hints);
  const found = await lookUp(git, candidates);
  const index = found.findIndex((sha) => sha !== null);
  const sha = found[index];
  const how = candidates[index]?.how;
  if (!sha || !how) {
    throw new CulpritError(
      'revision_not_found',
      'The repository has no commits. Fetch the history or make a first commit.',
    );
  }
  const commit = await oneCommit(git, ['--no-walk', sha]);
  if (!commit) throw new CulpritError('code_host_unavailable', `Commit ${sha} could not be read.`);
  if (how !== 'head') return { ...commit, how };
  const at = Math.floor(Date.parse(hints.at) / 1000);
  if (Number.isNaN(at) || at < 0 || at * 1000 >= Date.parse(commit.committed_at)) return { ...commit, how };
  const earlier = await oneCommit(git, ['--first-parent', '--max-count=1', `--min-age=${at}`, sha]);
  return earlier ? { ...earlier, how: 'date' } : { ...commit, how };
}

async function oneCommit(
  git: GitReader,
  args: readonly string[],
): Promise<Omit<Revision, 'how'> | undefined> {
  const output = await git.output(['rev-list', '--timestamp', ...args, '--']);
  return parseTimestamps(output)[0];
}
