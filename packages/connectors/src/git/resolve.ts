import { CulpritError, type RevisionHints, type Tree } from '@culprit/core';
import { parseTimestamps } from './blame.js';
import type { Git } from './client.js';
import type { Repository } from './repository.js';
import {
  FULL_SHA,
  hexCandidates,
  type RevisionCandidate,
  readBatchCheck,
  revisionCandidates,
} from './revision.js';
import { decode } from './text.js';

type Revision = Tree['revision'];

/** The commits named by the candidates, resolved in one process; `null` for those that name none. */
export async function lookUp(
  git: Git,
  repository: Repository,
  candidates: readonly RevisionCandidate[],
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  if (candidates.length === 0) return [];
  const input = candidates.map(({ expression }) => `${expression}\n`).join('');
  const output = await git.output(repository, ['cat-file', '--batch-check'], { signal, input, refs: true });
  return readBatchCheck(decode(output), candidates);
}

/** Rejects with `revision_not_found` if the name is not a full SHA or not a commit in the repository. */
export async function requireCommit(
  git: Git,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<string> {
  const name = sha.toLowerCase();
  const candidates = FULL_SHA.test(name) ? hexCandidates([name], 'explicit') : [];
  const [found] = await lookUp(git, repository, candidates, signal);
  if (found) return found;
  throw new CulpritError(
    'revision_not_found',
    `Commit ${JSON.stringify(sha.slice(0, 64))} is not in the repository. Fetch it with "git fetch --all --tags".`,
  );
}

/**
 * The crashed commit: given explicitly, named by the release, or tagged with it; else the newest first-parent commit of
 * HEAD at the time of the crash; else HEAD, as a guess.
 */
export async function resolveRevision(
  git: Git,
  repository: Repository,
  hints: RevisionHints,
  signal: AbortSignal,
): Promise<Revision> {
  const candidates = revisionCandidates(hints);
  const found = await lookUp(git, repository, candidates, signal);
  const index = found.findIndex((sha) => sha !== null);
  const sha = found[index];
  const how = candidates[index]?.how;
  if (!sha || !how) {
    throw new CulpritError(
      'revision_not_found',
      'The repository has no commits. Fetch the history or make a first commit.',
    );
  }
  const commit = await oneCommit(git, repository, ['--no-walk', sha], signal);
  if (!commit) throw new CulpritError('code_host_unavailable', `Commit ${sha} could not be read.`);
  if (how !== 'head') return { ...commit, how };
  const at = Math.floor(Date.parse(hints.at) / 1000);
  if (Number.isNaN(at) || at < 0 || at * 1000 >= Date.parse(commit.committed_at)) return { ...commit, how };
  const earlier = await oneCommit(
    git,
    repository,
    ['--first-parent', '--max-count=1', `--min-age=${at}`, sha],
    signal,
  );
  return earlier ? { ...earlier, how: 'date' } : { ...commit, how };
}

async function oneCommit(
  git: Git,
  repository: Repository,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Omit<Revision, 'how'> | undefined> {
  const output = await git.output(repository, ['rev-list', '--timestamp', ...args, '--'], { signal });
  return parseTimestamps(output)[0];
}
