import type { Diff, DiffFile } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { askOrNull, type Target } from './ask.js';
import type { Parameters } from './client.js';
import { noRevision, unreadable } from './errors.js';
import { isCutOff, mapDiffFile } from './map.js';
import { diffs } from './schema.js';

const PER_PAGE = 100;
/** 300 files. Further pages add nothing about a crash. */
const MOST_PAGES = 3;
const FULL_SHA = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * What a commit changed. GitLab leaves files out at its limits without saying so, but then lists fewer changed lines than the
 * commit has: `changedLines` of it.
 */
export async function diffOf(
  target: Target,
  sha: string,
  changedLines: () => Promise<number>,
): Promise<Diff> {
  if (!FULL_SHA.test(sha)) throw noRevision(sha, target.repository);
  const files: DiffFile[] = [];
  let cutOff = false;
  let page: number | null = 1;
  while (page !== null && page <= MOST_PAGES) {
    const parameters: Parameters = { sha, page, per_page: PER_PAGE };
    const answer = await askOrNull(target, 'GET /projects/{id}/repository/commits/{sha}/diff', parameters);
    if (answer === null) throw noRevision(sha, target.repository);
    const listed = read(diffs, answer.data, unreadable);
    files.push(...listed.map(mapDiffFile));
    cutOff ||= listed.some(isCutOff);
    page = /rel="next"/.test(answer.headers.link ?? '') ? page + 1 : null;
  }
  const truncated = cutOff || page !== null || linesIn(files) < (await changedLines());
  return { sha, files, truncated };
}

function linesIn(files: readonly DiffFile[]): number {
  const changed = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines));
  return changed.filter((line) => !line.startsWith(' ')).length;
}
