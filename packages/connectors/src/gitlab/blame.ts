import type { Blame, BlamedFile } from '@culprit/core';
import { isCulpritError } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { sourceLines } from '../shared/source-text.js';
import { missingFile } from '../shared/tree-path.js';
import { ask, fileAt, type Target } from './ask.js';

import { unreadable } from './errors.js';
import { iso, titleOf } from './map.js';
import { blame, commits } from './schema.js';

const HISTORY = 20;
const RECENT = 100;
/** Git's own test: a file with a NUL among its first bytes is not text. */
const BINARY_BYTES = 8_000;

export const isBinary = (bytes: Buffer) => bytes.subarray(0, BINARY_BYTES).includes(0);

/** One file at a revision that exists. Its content tells whether it is text, which blame does not. */
export async function blameFile(target: Target, sha: string, path: string): Promise<BlamedFile> {
  const bytes = await fileAt(target, sha, path);
  if (bytes === null) return missingFile(path, 'The file does not exist at the crashed revision.');
  const history = await historyOf(target, sha, path);
  const found = { path, ranges: [], history, lines: null };
  if (bytes === 'too_large') return { ...found, status: 'skipped', detail: 'The file is too large.' };
  if (isBinary(bytes)) return { ...found, status: 'skipped', detail: 'The file is not text.' };
  const lines = sourceLines(bytes.toString('utf8'));
  try {
    const answer = await ask(target, 'GET /projects/{id}/repository/files/{file_path}/blame', {
      file_path: path,
      ref: sha,
    });
    return { ...found, status: 'ok', detail: null, lines, ranges: rangesOf(answer.data) };
  } catch (error) {
    // GitLab gives up on files whose blame takes too long. The other files are not affected.
    if (!isCulpritError(error, 'code_host_unavailable') || error.retryAfterMs !== undefined) throw error;
    return { ...found, status: 'failed', detail: `GitLab returned no blame. ${error.message}`, lines };
  }
}

/** GitLab lists groups of lines without their numbers, and splits a commit's lines at most by other commits'. */
function rangesOf(data: unknown): BlamedFile['ranges'] {
  const ranges: BlamedFile['ranges'][number][] = [];
  let line = 1;
  for (const { commit, lines } of read(blame, data, unreadable)) {
    if (lines.length === 0) continue;
    const end = line + lines.length - 1;
    ranges.push({ start: line, end, sha: commit.id, committed_at: iso(commit.committed_date) });
    line = end + 1;
  }
  return ranges;
}

async function historyOf(target: Target, sha: string, path: string): Promise<BlamedFile['history']> {
  const answer = await ask(target, 'GET /projects/{id}/repository/commits', {
    ref_name: sha,
    path,
    per_page: HISTORY,
  });
  return read(commits, answer.data, unreadable).map(({ id, committed_date }) => ({
    sha: id,
    committed_at: iso(committed_date),
  }));
}

/** The last commits up to a revision, and the text of `.git-blame-ignore-revs`. */
export async function contextOf(
  target: Target,
  sha: string,
): Promise<{ readonly recent: Blame['recent']; readonly ignoreText: string }> {
  const list = await ask(target, 'GET /projects/{id}/repository/commits', {
    ref_name: sha,
    per_page: RECENT,
  });
  const ignore = await fileAt(target, sha, '.git-blame-ignore-revs');
  return {
    recent: read(commits, list.data, unreadable).map(({ id, committed_date, message }) => ({
      sha: id,
      committed_at: iso(committed_date),
      title: titleOf(message),
    })),
    ignoreText: ignore instanceof Buffer ? ignore.toString('utf8') : '',
  };
}
