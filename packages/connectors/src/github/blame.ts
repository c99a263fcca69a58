import { type Blame, type BlamedFile, OWNERS_PLACES, type OwnersFile } from '@culprit/core';
import * as v from 'valibot';
import { sourceLines } from '../shared/source-text.js';
import type { GraphqlAnswer, GraphqlError } from './client.js';
import { OWNERS_ALIASES } from './queries.js';
import { blameObject, blobObject, historyObject, ownersBlob } from './schema.js';

type Repository = Readonly<Record<string, unknown>>;

/** True if the query exceeded GitHub's resource limits; a smaller one may succeed. */
export function isResourceLimit(errors: readonly GraphqlError[]): boolean {
  return errors.some(
    ({ type, message }) =>
      type === 'RESOURCE_LIMITS_EXCEEDED' ||
      /something went wrong while executing your query|may be the result of a timeout/i.test(message),
  );
}

/** The result of one query: blame of some files, and context of the revision. */
export type BlameAnswer = Omit<Blame, 'ignored'> & {
  readonly ignoreText: string;
  readonly owners: OwnersFile | null;
  /** Paths with a complete result, which may be cached permanently. */
  readonly settled: ReadonlySet<string>;
  /** True: `recent`, `ignoreText` and `owners` are complete. */
  readonly contextSettled: boolean;
};

/** The entry of a failed file states the reason. */
export function mapBlame(paths: readonly string[], answer: GraphqlAnswer): BlameAnswer {
  const repository = (answer.data?.repository ?? {}) as Repository;
  const rev = (repository.rev ?? {}) as Repository;
  const ignore = v.safeParse(blobObject, repository.ignore);
  const whole = (...aliases: readonly string[]) =>
    answer.errors.every(({ path }) => path !== undefined && !aliases.some((alias) => path.includes(alias)));
  return {
    settled: new Set(paths.filter((_, index) => whole('rev', `e${index}`, `f${index}`))),
    contextSettled: whole('rev', 'ignore', ...OWNERS_ALIASES),
    files: paths.map((path, index) => mapFile(path, index, repository, rev, answer.errors)),
    recent: nodes(rev.recent).map(({ oid, committedDate, messageHeadline }) => ({
      sha: oid,
      committed_at: iso(committedDate),
      title: messageHeadline ?? '',
    })),
    ignoreText: ignore.success && !ignore.output.isTruncated ? (ignore.output.text ?? '') : '',
    owners: ownersFile(repository),
  };
}

/** GitHub shows the first half megabyte of a file. */
function ownersFile(repository: Repository): OwnersFile | null {
  for (const [place, path] of OWNERS_PLACES.github.entries()) {
    const blob = v.safeParse(ownersBlob, repository[OWNERS_ALIASES[place] ?? '']);
    if (!blob.success) continue;
    const { text, isTruncated } = blob.output;
    return { path, dialect: 'github', text: isTruncated ? null : (text ?? null) };
  }
  return null;
}

function mapFile(
  path: string,
  index: number,
  repository: Repository,
  rev: Repository,
  errors: readonly GraphqlError[],
): BlamedFile {
  const history = nodes(rev[`h${index}`]).map(({ oid, committedDate }) => ({
    sha: oid,
    committed_at: iso(committedDate),
  }));
  const blob = v.safeParse(blobObject, repository[`e${index}`]);
  const nothing = { path, ranges: [], history, lines: null };
  if (!blob.success) {
    const failed = errorAt(errors, `e${index}`);
    if (failed) return { ...nothing, status: 'failed', detail: failed };
    return { ...nothing, status: 'missing', detail: 'The file does not exist at the crashed revision.' };
  }
  if (blob.output.isBinary) return { ...nothing, status: 'skipped', detail: 'The file is not text.' };
  const { text, isTruncated } = blob.output;
  const lines = isTruncated ? null : sourceLines(text);
  const blamed = v.safeParse(blameObject, repository[`f${index}`]);
  if (!blamed.success) {
    const detail = errorAt(errors, `f${index}`) ?? 'GitHub returned no blame for the file.';
    return { ...nothing, lines, status: 'failed', detail };
  }
  const ranges = blamed.output.blame.ranges.map(({ startingLine, endingLine, commit }) => ({
    start: startingLine,
    end: endingLine,
    sha: commit.oid,
    committed_at: iso(commit.committedDate),
  }));
  return { path, status: 'ok', detail: null, ranges, history, lines };
}

function nodes(history: unknown) {
  const parsed = v.safeParse(historyObject, history);
  return parsed.success
    ? (parsed.output.nodes ?? []).filter((node) => node !== null && node !== undefined)
    : [];
}

function errorAt(errors: readonly GraphqlError[], alias: string): string | null {
  const found = errors.find(({ path }) => path?.includes(alias));
  return found ? found.message.slice(0, 300) : null;
}

function iso(date: string): string {
  return new Date(date).toISOString();
}
