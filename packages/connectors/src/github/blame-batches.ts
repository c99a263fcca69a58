import { CulpritError, isCulpritError, OWNERS_PLACES } from '@culprit/core';
import { batchesOf } from '@culprit/core/resilience';
import { askGraphql, lacksContents, type RepositoryName } from './ask.js';
import { type BlameAnswer, isResourceLimit, mapBlame } from './blame.js';
import type { GraphqlAnswer } from './client.js';
import { isUnavailable } from './errors.js';
import { blameQuery, OWNERS_ALIASES } from './queries.js';

/** Maximum number of files per query. */
const FILES_AT_ONCE = 8;

/** Timeouts tolerated in one blame. More mean that GitHub is unreachable, not that the query was too large. */
const MAX_TIMEOUTS = 2;

interface Tried {
  timeouts: number;
}

/**
 * Blames files in as few queries as GitHub can answer: a batch that is too large is halved, down to single files. If no file
 * could be answered, a query without files decides whether GitHub is unreachable (the blame rejects) or the files are too
 * large (their entries say so).
 */
export async function blameInBatches(
  target: RepositoryName,
  sha: string,
  paths: readonly string[],
): Promise<readonly BlameAnswer[]> {
  const tried: Tried = { timeouts: 0 };
  const answers: BlameAnswer[] = [];
  for (const batch of batchesOf(paths, FILES_AT_ONCE)) {
    answers.push(...(await halving(target, sha, batch, tried)));
  }
  if (answers.some(({ contextSettled }) => contextSettled)) return answers;
  return [...answers, ...(await halving(target, sha, [], tried))];
}

async function halving(
  target: RepositoryName,
  sha: string,
  paths: readonly string[],
  tried: Tried,
): Promise<readonly BlameAnswer[]> {
  const answer = await attempt(target, sha, paths, tried);
  if (!(answer instanceof CulpritError)) return [answer];
  if (paths.length === 0) throw answer;
  if (paths.length === 1) return [noAnswer(paths)];
  const middle = Math.ceil(paths.length / 2);
  return [
    ...(await halving(target, sha, paths.slice(0, middle), tried)),
    ...(await halving(target, sha, paths.slice(middle), tried)),
  ];
}

function noAnswer(paths: readonly string[]): BlameAnswer {
  const detail = 'GitHub could not compute blame for this file in time.';
  const failed = { status: 'failed', detail, ranges: [], history: [], lines: null } as const;
  const files = paths.map((path) => ({ path, ...failed }));
  return { files, recent: [], ignoreText: '', owners: null, settled: new Set(), contextSettled: false };
}

/** Returns an error if the query was too large. */
async function attempt(
  target: RepositoryName,
  sha: string,
  paths: readonly string[],
  tried: Tried,
): Promise<BlameAnswer | CulpritError> {
  const variables: Record<string, string> = { rev: sha, ignore: `${sha}:.git-blame-ignore-revs` };
  OWNERS_PLACES.github.forEach((place, index) => {
    variables[OWNERS_ALIASES[index] ?? ''] = `${sha}:${place}`;
  });
  paths.forEach((path, file) => {
    variables[`p${file}`] = path;
    variables[`b${file}`] = `${sha}:${path}`;
  });
  try {
    const answer = await askGraphql(target, blameQuery(paths.length), variables);
    if (isResourceLimit(answer.errors))
      return new CulpritError('code_host_unavailable', 'GitHub cannot compute blame at the moment.');
    checkRevision(answer, sha, target.repository);
    return mapBlame(paths, answer);
  } catch (error) {
    if (!isCulpritError(error)) throw error;
    if (isUnavailable(error, 'overload')) return error;
    if (isUnavailable(error, 'timeout') && ++tried.timeouts <= MAX_TIMEOUTS) return error;
    throw error;
  }
}

/** Throws if the commit does not exist or is hidden. */
function checkRevision({ data, errors }: GraphqlAnswer, sha: string, repository: string): void {
  const { rev } = (data?.repository ?? {}) as { readonly rev?: unknown };
  if (rev !== null) return;
  const hidden = errors.find(({ type, path }) => type === 'FORBIDDEN' && path?.includes('rev'));
  if (hidden) throw lacksContents(repository, hidden.message);
  if (errors.length === 0) throw noRevision(sha, repository);
}

export function noRevision(sha: string, repository: string): CulpritError {
  return new CulpritError('revision_not_found', `${repository} has no commit ${sha.slice(0, 40)}.`);
}
