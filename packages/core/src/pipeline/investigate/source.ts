import { QUESTION_LIMITS, type QuestionInput } from '../../domain/question.js';
import type { Blame } from '../../ports/code-host.js';
import { readable } from '../evidence/readable.js';
import { isDeniedPath } from '../locate/denied-path.js';
import { kindOf } from '../rank/file-kind.js';
import { cleanLines, day, type Reply, short } from './answer-text.js';
import type { Asking } from './ask.js';
import { spreadOverFiles } from './spread.js';

/** The path as git has it; `null` if it leads out of the repository. */
export function repositoryPath(path: string): string | null {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.includes('..') ? null : names.join('/');
}

/** Commits named at once; a code host's `commits` allows them. */
const MAX_NAMED = 150;

export async function readSource(
  { path: given, from, to: last, at: commit }: QuestionInput<'read_source'>,
  { questions, repository, scrub, signal, at }: Asking,
): Promise<Reply> {
  const path = repositoryPath(given);
  const sha = await at(commit);
  if (path === null || sha === null) return 'not_found';
  if (isDeniedPath(path)) return 'denied';
  if (last !== undefined && last < from) return 'invalid';
  const lines = await questions.lines(repository, sha, path, signal);
  if (lines === null) return 'not_found';
  const wanted = Math.min(last ?? lines.length, lines.length);
  const to = Math.min(wanted, from + QUESTION_LIMITS.lines - 1);
  const shown = cleanLines(lines, from, to, scrub).map((text, index) => `${from + index}| ${text}`);
  return { lines: [`${path} at ${short(sha)}, ${lines.length} lines`, ...shown], more: wanted > to };
}

export async function listFolder(
  { path: given, at: commit }: QuestionInput<'list_folder'>,
  { questions, repository, signal, at }: Asking,
): Promise<Reply> {
  const path = repositoryPath(given);
  const sha = await at(commit);
  if (path === null || sha === null) return 'not_found';
  const entries = await questions.folder(repository, sha, path, signal);
  if (entries === null) return 'not_found';
  const marks = { file: '', folder: '/', submodule: ' (submodule)' } as const;
  const names = entries.slice(0, QUESTION_LIMITS.entries).map(({ name, kind }) => `${name}${marks[kind]}`);
  return {
    lines: [`${path}/ at ${short(sha)}, ${entries.length} entries`, ...names],
    more: entries.length > QUESTION_LIMITS.entries,
  };
}

/** More than are shown, because code comes before tests and documents. */
const SEARCHED = 5 * QUESTION_LIMITS.matches;
/** A line of encoded data may be part of a key, which no rule recognises in one line. */
const ENCODED = /^[\s"'`+>|-]*[A-Za-z0-9+/]{20,}={0,2}(?:\\n)?[\s"'`,;+\\]*$/;
const isAllowed = (path: string) => !isDeniedPath(path);
const KINDS = ['code', 'test', 'docs'] as const;

export async function searchSource(
  { text, pattern, path: given, at: commit }: QuestionInput<'search_source'>,
  { questions, repository, scrub, signal, at }: Asking,
): Promise<Reply> {
  const path = given === undefined ? '' : repositoryPath(given);
  const sha = await at(commit);
  if (path === null || sha === null) return 'not_found';
  if (isDeniedPath(path)) return 'denied';
  if (questions.search === undefined) return 'not_available';
  const query = { text, pattern, most: SEARCHED, isAllowed, ...(path === '' ? {} : { path }) };
  const { found, more } = await questions.search(repository, sha, query, signal);
  const allowed = found.filter((match) => isAllowed(match.path));
  const kind = (path: string) => KINDS.indexOf(kindOf(path));
  const shown = spreadOverFiles(allowed, QUESTION_LIMITS.matches, kind);
  const lines = shown.map(({ path, line, text }) => {
    return `${path}:${line}| ${ENCODED.test(text) ? '[redacted]' : scrub(text).trim()}`;
  });
  const none = lines.length === 0 ? ['No lines contain it.'] : [];
  return { lines: [...none, ...lines], more: more || allowed.length > lines.length };
}

export async function searchHistory(
  { path: given, from, to, text, pattern, since, until }: QuestionInput<'search_history'>,
  { questions, repository, revision, signal }: Asking,
): Promise<Reply> {
  const path = given === undefined ? undefined : repositoryPath(given);
  if (path === null) return 'not_found';
  const ranged = from !== undefined && to !== undefined;
  if ((from ?? to) !== undefined && (!ranged || to < from || !path)) return 'invalid';
  if (!path && text === undefined) return 'invalid';
  if (path && (ranged || text !== undefined) && isDeniedPath(path)) return 'denied';
  const query = {
    ...(path ? { path } : {}),
    ...(ranged ? { lines: { from, to } } : {}),
    ...{ text, pattern: text !== undefined && pattern, since, until },
    ...{ most: QUESTION_LIMITS.commits, isAllowed },
  };
  const answer = (await questions.history?.(repository, revision, query, signal)) ?? null;
  if (answer === null) return 'not_available';
  const lines = answer.found.map(
    ({ sha, committed_at, title }) => `${short(sha)} ${day(committed_at)} ${title}`,
  );
  return { lines: lines.length === 0 ? ['No commits.'] : lines, more: answer.more };
}

export async function blameLines(
  { path: given, from, to: last, at: commit }: QuestionInput<'blame_lines'>,
  { codeHost, repository, bundle, scrub, signal, at, commits }: Asking,
): Promise<Reply> {
  const path = repositoryPath(given);
  const sha = await at(commit);
  if (path === null || sha === null) return 'not_found';
  if (isDeniedPath(path)) return 'denied';
  if (last < from) return 'invalid';
  const blame: Blame = readable(
    { port: 'code_host', method: 'blame' },
    await codeHost.blame(repository, sha, [path], signal),
    { scrub, project: bundle.project },
  );
  const [file] = blame.files;
  if (file?.status !== 'ok') return file?.status === 'missing' ? 'not_found' : 'not_available';
  const { ranges, lines } = file;
  const to = Math.min(last, from + QUESTION_LIMITS.lines - 1, lines?.length ?? last);
  const shown = ranges.filter(({ start, end }) => end >= from && start <= to);
  const named = await commits([...new Set(shown.map((range) => range.sha))].slice(0, MAX_NAMED));
  const blamed = shown.flatMap(({ start, end, sha: by, committed_at }) => {
    const first = Math.max(start, from);
    return Array.from({ length: Math.min(end, to) - first + 1 }, (_, index) => {
      const text = lines?.[first + index - 1] ?? '';
      return `${first + index} ${by.slice(0, 8)} ${day(committed_at)}| ${text}`;
    });
  });
  const titles = named.map((one) => `${one.sha.slice(0, 8)} ${one.title}`);
  return {
    lines: [`${path} at ${short(sha)}`, ...blamed, ...titles],
    more: to < Math.min(last, lines?.length ?? last),
  };
}
