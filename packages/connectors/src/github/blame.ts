import { type Blame, CulpritError } from '@culprit/core/connector';
import { OWNERS_PLACES } from '@culprit/core/internal/domain/ownership';
import type { BlamedFile, OwnersFile } from '@culprit/core/internal/ports/code-host';
import { batchesOf } from '@culprit/core/internal/resilience/batches';
import * as v from 'valibot';
import { iso } from '../shared/hosts/code-host.js';
import { noRevision } from '../shared/hosts/errors.js';
import { sourceLines } from '../shared/hosts/files.js';
import {
  askGraphql,
  inHalves,
  isResourceLimit,
  isUnavailable,
  lacksContents,
  numbered,
  type Target,
} from './ask.js';
import type { GraphqlAnswer, GraphqlError } from './client.js';
import { blameQuery, OWNERS_ALIASES } from './queries.js';
import { blameObject, blobObject, historyObject, ownersBlob } from './schema.js';

const historyOrNone = v.fallback(historyObject, []);

/** Maximum number of files per query. */
const FILES_AT_ONCE = 8;

/** Timeouts tolerated in one blame. More mean that GitHub is unreachable, not that the query was too large. */
const MAX_TIMEOUTS = 2;

/**
 * Blames files in as few queries as GitHub can answer: a batch that is too large is halved, down to single files. If no file
 * could be answered, a query without files decides whether GitHub is unreachable (the blame rejects) or the files are too
 * large (their entries say so).
 */
export async function blameInBatches(
  target: Target,
  sha: string,
  paths: readonly string[],
): Promise<readonly BlameAnswer[]> {
  let timeouts = 0;
  const attempt = async (some: readonly string[]): Promise<BlameAnswer | null> => {
    try {
      return await askBlame(target, sha, some);
    } catch (error) {
      const isTimeout = isUnavailable(error, 'timeout');
      const isTooLarge = isUnavailable(error, 'overload') || (isTimeout && ++timeouts <= MAX_TIMEOUTS);
      if (isTooLarge && some.length > 0) return null;
      throw error;
    }
  };
  const answers: BlameAnswer[] = [];
  for (const batch of batchesOf(paths, FILES_AT_ONCE)) {
    const parts = await inHalves(batch, attempt);
    answers.push(...parts.map(({ items, answer }) => answer ?? noAnswer(items)));
  }
  if (answers.some(({ contextSettled }) => contextSettled)) return answers;
  const context = await attempt([]);
  return context === null ? answers : [...answers, context];
}

function noAnswer(paths: readonly string[]): BlameAnswer {
  const detail = 'GitHub could not compute blame for this file in time.';
  const failed = { status: 'failed', detail, ranges: [], history: [], lines: null } as const;
  const files = paths.map((path) => ({ path, ...failed }));
  return { files, recent: [], ignoreText: '', owners: null, settled: new Set(), contextSettled: false };
}

async function askBlame(target: Target, sha: string, paths: readonly string[]): Promise<BlameAnswer> {
  const at = (path: string) => `${sha}:${path}`;
  const answer = await askGraphql(target, blameQuery(paths.length), {
    rev: sha,
    ignore: at('.git-blame-ignore-revs'),
    ...numbered('owners', OWNERS_PLACES.github.map(at)),
    ...numbered('p', paths),
    ...numbered('b', paths.map(at)),
  });
  if (isResourceLimit(answer.errors))
    throw new CulpritError('code_host_unavailable', 'GitHub cannot compute blame at the moment.', {
      reason: 'overload',
    });
  checkRevision(answer, sha, target.repository);
  return mapBlame(paths, answer);
}

/** Throws if the commit does not exist or is hidden. */
function checkRevision({ data, errors }: GraphqlAnswer, sha: string, repository: string): void {
  const { rev } = (data?.repository ?? {}) as { readonly rev?: unknown };
  if (rev !== null) return;
  const hidden = errors.find(({ type, path }) => type === 'FORBIDDEN' && path?.includes('rev'));
  if (hidden) throw lacksContents(repository, hidden.message);
  if (errors.length === 0) throw noRevision(sha, repository);
}

type Repository = Readonly<Record<string, unknown>>;

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
function mapBlame(paths: readonly string[], answer: GraphqlAnswer): BlameAnswer {
  const repository = (answer.data?.repository ?? {}) as Repository;
  const rev = (repository.rev ?? {}) as Repository;
  const ignore = v.safeParse(blobObject, repository.ignore);
  const whole = (...aliases: readonly string[]) =>
    answer.errors.every(({ path }) => path !== undefined && !aliases.some((alias) => path.includes(alias)));
  return {
    settled: new Set(paths.filter((_, index) => whole('rev', `e${index}`, `f${index}`))),
    contextSettled: whole('rev', 'ignore', ...OWNERS_ALIASES),
    files: paths.map((path, index) => mapFile(path, index, repository, rev, answer.errors)),
    recent: v.parse(historyOrNone, rev.recent).map(({ oid, committedDate, messageHeadline }) => ({
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
  const last = v.parse(historyOrNone, rev[`h${index}`]).map(({ oid, committedDate }) => ({
    sha: oid,
    committed_at: iso(committedDate),
  }));
  const blob = v.safeParse(blobObject, repository[`e${index}`]);
  const nothing = { path, ranges: [], history: last, lines: null };
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
  return { path, status: 'ok', detail: null, ranges, history: last, lines };
}

function errorAt(errors: readonly GraphqlError[], alias: string): string | null {
  const found = errors.find(({ path }) => path?.includes(alias));
  return found ? found.message.slice(0, 300) : null;
}
