import { CulpritError, isCulpritError } from '@culprit/core';
import { askGraphql, lacksContents, type Place } from './ask.js';
import { type BlameAnswer, mapBlame, wasTooMuch } from './blame.js';
import type { GraphqlAnswer } from './client.js';
import { blameQuery } from './queries.js';

/** One question asks for so many files at most. */
const FILES_AT_ONCE = 8;

/** Blames files in as few questions as GitHub can answer: a batch that is too much is halved, down to single files. */
export async function blameInBatches(
  place: Place,
  sha: string,
  paths: readonly string[],
): Promise<readonly BlameAnswer[]> {
  if (paths.length === 0) return halving(place, sha, []);
  const answers: BlameAnswer[] = [];
  for (let first = 0; first < paths.length; first += FILES_AT_ONCE) {
    answers.push(...(await halving(place, sha, paths.slice(first, first + FILES_AT_ONCE))));
  }
  return answers;
}

async function halving(place: Place, sha: string, paths: readonly string[]): Promise<readonly BlameAnswer[]> {
  const answer = await attempt(place, sha, paths);
  if (!(answer instanceof CulpritError)) return [answer];
  if (paths.length <= 1) {
    const detail = 'GitHub could not answer blame for this file in time.';
    const files = paths.map((path) => ({
      path,
      status: 'failed' as const,
      detail,
      ranges: [],
      history: [],
      lines: null,
    }));
    return [{ files, recent: [], ignoreText: '' }];
  }
  const middle = Math.ceil(paths.length / 2);
  return [
    ...(await halving(place, sha, paths.slice(0, middle))),
    ...(await halving(place, sha, paths.slice(middle))),
  ];
}

/** An error as the result: the question was too much. */
async function attempt(
  place: Place,
  sha: string,
  paths: readonly string[],
): Promise<BlameAnswer | CulpritError> {
  const variables: Record<string, string> = { rev: sha, ignore: `${sha}:.git-blame-ignore-revs` };
  paths.forEach((path, file) => {
    variables[`p${file}`] = path;
    variables[`b${file}`] = `${sha}:${path}`;
  });
  try {
    const answer = await askGraphql(place, blameQuery(paths.length), variables);
    if (wasTooMuch(answer.errors)) return new CulpritError('code_host_unavailable', 'too much at once');
    checkRevision(answer, sha, place.repository);
    return mapBlame(paths, answer);
  } catch (error) {
    const timedOut =
      isCulpritError(error, 'code_host_unavailable') && /fails with 50[24]/.test(error.message);
    if (timedOut) return error;
    throw error;
  }
}

/** Without the commit there is nothing to map: it is not there, or not to be seen. */
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
