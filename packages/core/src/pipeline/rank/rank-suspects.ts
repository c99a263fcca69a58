import type { CrashException } from '../../domain/event.js';
import type { FileMove, Suspect } from '../../domain/suspect.js';
import { type Unrated, withoutUnmeasured } from '../../domain/verdict.js';
import type { Blame, BlamedFile, Commit } from '../../ports/code-host.js';
import { batchesOf, inBatches } from '../../resilience/batches.js';
import type { TextScrubber } from '../scrub-text.js';
import type { Traces } from './candidates.js';
import { changeFacts } from './change-content.js';
import { crashContext } from './crash-context.js';
import { COMMITS_AT_ONCE, type HistoryReader } from './history-reader.js';
import { nearestHunk } from './hunk.js';
import { lookThrough, movedSince, movesIn } from './look-through.js';
import { poolOf, rankCandidates } from './rank-candidates.js';
import { reasonsOf } from './reason-wording.js';
import type { ChangeFacts, Dated, Position, RankedCandidate, RankInput, View } from './types.js';
import { rated } from './verdicts.js';
import { SHOWN_SUSPECTS } from './weights.js';

export interface RankRequest {
  /** Crash first. */
  readonly positions: readonly Position[];
  readonly blame: Blame;
  readonly exception: CrashException;
  readonly crashedAt: string;
  readonly previousRelease: string | null;
  readonly native: boolean;
  /** Why no probability of this analysis was measured; `null` if nothing speaks against it. */
  readonly unrated: Unrated | null;
  readonly reader: HistoryReader;
  readonly scrub: TextScrubber;
  /** Called with the whole ranking; the first few become suspects. */
  readonly onRanked?: ((ranked: readonly RankedCandidate[]) => void) | undefined;
}

/** Diffs for a native trace: its rule needs none, so only those of commits that may be shown are read. */
const NATIVE_COMMITS = 50;
const NATIVE_DIFFS = 10;
/** Concurrent requests for diffs. */
const DIFFS_AT_ONCE = 4;

export interface Ranked {
  readonly suspects: readonly Suspect[];
  /** The evidence leads to this commit, at which the history ends: it stands for all older ones, so there is no suspect. */
  readonly end: (Dated & { readonly why: NonNullable<Commit['history_ends']> }) | null;
}

/** From blame to at most five suspects: skipping of formatting commits, stage one, diffs, stage two, hunks. */
export async function rankSuspects(request: RankRequest): Promise<Ranked> {
  const { blame, reader } = request;
  const ignored = new Set(blame.ignored);
  const files = blame.files.filter(({ status }) => status === 'ok');
  const { positions, earlier } = await lookThrough(request.positions, files, ignored, reader);
  const versions = [...files, ...earlier];
  const input: RankInput = {
    positions,
    files: versions,
    recent: blame.recent,
    ignored,
    crashedAt: request.crashedAt,
    previousRelease: request.previousRelease,
    native: request.native,
    changes: new Map(),
    crash: crashContext(request.exception, positions, versions, request.scrub),
  };
  const pool = poolOf(input);
  const { changes, moves } = await readChanges(input, pool, request);
  const all = rankCandidates({ ...input, changes }, undefined, pool);
  request.onRanked?.(all);
  await reader.commits(all.slice(0, SHOWN_SUSPECTS).map(({ sha }) => sha));
  const endsAt = ({ sha }: Dated) => reader.known(sha)?.history_ends;
  const [first] = all;
  const why = first && endsAt(first);
  if (first !== undefined && why !== undefined) return { suspects: [], end: { ...first, why } };
  // What the end stands for stays in the probabilities of the others.
  const ranked = all.filter((candidate) => endsAt(candidate) === undefined);
  const shown = ranked.slice(0, SHOWN_SUSPECTS);
  await reader.commits(shown.map(({ sha }) => sha));
  const suspects = await Promise.all(
    shown.map((candidate) => {
      const change = changes.get(candidate.sha);
      return suspectOf(candidate, positions, { change, moves, files }, request);
    }),
  );
  return { suspects: suspects.flatMap((suspect) => suspect ?? []), end: null };
}

interface Changes {
  readonly changes: ReadonlyMap<string, ChangeFacts>;
  /** The renames in the diffs that were read. */
  readonly moves: readonly FileMove[];
}

/** Reads the messages of all candidates, then the diffs of the most likely ones within the budget. */
async function readChanges(
  input: RankInput,
  pool: readonly Traces[],
  { reader }: RankRequest,
): Promise<Changes> {
  const order = rankCandidates(input, undefined, pool).map(({ sha }) => sha);
  const known = input.native ? order.slice(0, NATIVE_COMMITS) : order;
  for (const batch of batchesOf(known, COMMITS_AT_ONCE)) await reader.commits(batch);
  const owners = new Set(pool.flatMap(({ sha, ownsLine }) => (ownsLine ? [sha] : [])));
  const changes = new Map<string, ChangeFacts>();
  const ends = new Set<string>();
  for (const sha of known) {
    const commit = reader.known(sha);
    if (commit?.history_ends) ends.add(sha);
    // The message of an end is about its own change, which is not what it stands for.
    else if (commit !== null) changes.set(sha, changeFacts(commit, null, input.crash, owners.has(sha)));
  }
  const most = input.native ? Math.min(NATIVE_DIFFS, reader.diffsLeft()) : reader.diffsLeft();
  const wanted = rankCandidates({ ...input, changes }, undefined, pool)
    .filter(({ sha }) => !ends.has(sha))
    .slice(0, most);
  const diffs = await inBatches(
    wanted,
    DIFFS_AT_ONCE,
    async ({ sha }) => [sha, await reader.diff(sha)] as const,
  );
  for (const [sha, diff] of diffs) {
    if (diff !== null) changes.set(sha, changeFacts(reader.known(sha), diff, input.crash, owners.has(sha)));
  }
  return { changes, moves: diffs.flatMap(([, diff]) => (diff === null ? [] : movesIn(diff))) };
}

interface OfSuspect extends Pick<Changes, 'moves'> {
  readonly change: ChangeFacts | undefined;
  readonly files: readonly BlamedFile[];
}

async function suspectOf(
  candidate: RankedCandidate,
  positions: readonly Position[],
  { change, moves, files }: OfSuspect,
  { reader, native, scrub, unrated, blame: { recent } }: RankRequest,
): Promise<Suspect | null> {
  const { sha, committed_at, score, components, probability, frames, ageDays } = candidate;
  const commits = recent.length;
  const commit = await reader.commit(sha);
  const diff = await reader.diff(sha);
  const at = candidate.owned === null ? undefined : positions[candidate.owned.position];
  return withoutUnmeasured<Suspect>({
    sha,
    committed_at: new Date(committed_at).toISOString(),
    ...shownCommit(commit, scrub),
    score,
    components,
    probability,
    ...rated({ probability, ageDays, commits, unrated, native }),
    reasons: reasonsOf(candidate, positions, change, await movedSince(at, { diff, moves, files, reader })),
    frames: frames.filter(
      (frame) => !positions.some((position) => position.cause && position.frame === frame),
    ),
    hunk:
      diff === null
        ? null
        : nearestHunk(diff, viewsFor(candidate, positions), crashedViews(positions), scrub),
  });
}

/** What a suspect shows of its commit; `null`: it could not be read. */
export function shownCommit(
  commit: Commit | null,
  scrub: TextScrubber,
): Pick<Suspect, 'author' | 'title' | 'url' | 'pull_request'> {
  return {
    author: authorOf(commit, scrub),
    title: scrub(commit?.title ?? '').slice(0, 240),
    url: commit?.url ?? null,
    pull_request: commit?.pull_request
      ? { ...commit.pull_request, title: scrub(commit.pull_request.title).slice(0, 240) }
      : null,
  };
}

function authorOf(commit: Commit | null, scrub: TextScrubber): Suspect['author'] {
  const name = scrub(commit?.author.name ?? 'unknown').slice(0, 120);
  const account = commit?.author.account;
  return account === undefined ? { name } : { name, account: account.slice(0, 120) };
}

/** The crashed line, and the line that threw the cause. */
function crashedViews(positions: readonly Position[]): readonly View[] {
  const own = positions.find(({ cause }) => !cause);
  return [positions[0], own].flatMap((position) => position?.views ?? []);
}

/** The candidate's most important line, in its earliest version first. */
function viewsFor({ owned, nearest }: RankedCandidate, positions: readonly Position[]): readonly View[] {
  const first = positions[owned?.position ?? nearest?.position ?? -1];
  const rest = positions.filter((position) => position !== first).slice(0, 5);
  return [...(first ? [first] : []), ...rest].flatMap(({ views }) => [...views].reverse());
}
