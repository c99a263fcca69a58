import { webhookData } from '@culprit/connectors/webhook';
import {
  type Engine,
  type FeedCursor,
  type FeedEntry,
  type HistoryEntry,
  isCulpritError,
  type Logger,
  type Run,
  type RunSummary,
} from '@culprit/core';
import { safeTitle, withoutUnseen } from '@culprit/core/analysis';
import { boundedMap } from '@culprit/core/resilience';
import type { Message, NewRow } from './delivery-store.js';
import { type EventType, eventsOf } from './event-types.js';
import type { Matcher } from './subscription.js';

/** Runs whose version is remembered, so that counting a crash costs one look. */
const KNOWN_RUNS = 50_000;
/** How long a run's progress is remembered without a change. */
const RUN_MS = 30 * 24 * 60 * 60_000;
/** Runs that are looked at after the feed's buffer was too short. */
const LOOK_BACK_RUNS = 1_000;
const LOOK_BACK_MS = 60_000;
/** Runs of one round, whose messages are stored together. */
const ROUND = 100;
/** How often the place in the feed is stored while only crashes are counted. */
const PLACE_EVERY_MS = 5_000;
const AGAIN_MS = 5_000;

const PLACE = 'webhook:feed';
const runKey = (runId: string) => `webhook:run:${runId}`;

export interface EventReaderParts {
  readonly engine: Pick<Engine, 'feed' | 'values' | 'run' | 'runs' | 'history' | 'brief' | 'sanitiser'>;
  readonly boardUrl: string;
  /** The filters as they are stored now. */
  readonly matcher: () => Promise<Matcher>;
  /** Stores the messages durably, and sends them. */
  readonly deliver: (messages: readonly NewRow[]) => Promise<void>;
  readonly logger: Logger;
  readonly now: () => number;
}

export interface EventReader {
  /** Waits until the messages that are being made are stored. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Turns what happens into messages: the status feed says which run changed, its history says what happened. Both the place in the
 * feed and the last entry of each run are stored, so that nothing is missed while no core runs, and nothing is made twice.
 */
export async function readEvents(parts: EventReaderParts): Promise<EventReader> {
  const { engine, logger, now } = parts;
  const { feed } = engine;
  const versions = boundedMap<string, number>(KNOWN_RUNS);
  const pending = new Map<string, RunSummary>();
  let { epoch, sequence: reached } = await feed.head();
  let stored = { at: now(), sequence: -1 };
  let closed = false;
  let turn: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  const seen = ({ sequence, run }: Pick<FeedEntry, 'sequence' | 'run'>) => {
    reached = sequence;
    if (versions.get(run.run_id) === run.version) return;
    pending.set(run.run_id, run);
    wake();
  };
  const savePlace = async () => {
    if (reached === stored.sequence) return;
    stored = { at: now(), sequence: reached };
    await engine.values.set(PLACE, JSON.stringify({ epoch, ...stored }));
  };
  const round = async () => {
    const runs = [...pending.values()].slice(0, ROUND);
    const found = await messagesOf(runs, await parts.matcher(), parts);
    if (found.messages.length > 0) await parts.deliver(found.messages);
    for (const [runId, sequence] of found.read)
      await engine.values.set(runKey(runId), String(sequence), RUN_MS);
    for (const run of runs) {
      versions.set(run.run_id, run.version);
      if (pending.get(run.run_id) === run) pending.delete(run.run_id);
    }
    if (pending.size === 0 && found.read.length > 0) await savePlace();
  };
  const work = async () => {
    while (pending.size > 0 && !closed) await round();
  };
  const later = (ms: number) => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = null;
      wake();
    }, ms).unref();
  };
  const wake = () => {
    if (turn !== null || closed) return;
    turn = work()
      .catch((err) => {
        if (closed) return;
        logger.warn({ err }, 'webhook events could not be stored');
        later(AGAIN_MS);
      })
      .finally(() => {
        turn = null;
        if (pending.size > 0 && timer === null) wake();
      });
  };
  const stop = feed.watch(seen, (head) => {
    epoch = head.epoch;
    reached = head.sequence;
    void lookBack(parts, stored.at).then(
      (runs) => {
        for (const run of runs) pending.set(run.run_id, run);
        wake();
      },
      (err) => logger.warn({ err }, 'webhook events may be missing'),
    );
  });
  for (const run of await missed(parts)) if (!pending.has(run.run_id)) pending.set(run.run_id, run);
  if (pending.size === 0) await savePlace();
  wake();
  const saving = setInterval(() => {
    if (pending.size === 0) void savePlace().catch(() => {});
  }, PLACE_EVERY_MS).unref();
  return {
    async settled() {
      await turn;
    },
    async close() {
      closed = true;
      stop();
      clearInterval(saving);
      if (timer !== null) clearTimeout(timer);
      await turn;
      if (pending.size === 0) await savePlace().catch(() => {});
    },
  };
}

/** Runs that changed since the stored place. Without one, nothing was ever read: events begin now. */
async function missed(parts: EventReaderParts): Promise<readonly RunSummary[]> {
  const { feed, values } = parts.engine;
  const text = await values.get(PLACE);
  if (text === undefined) return [];
  const { at, ...place } = JSON.parse(text) as FeedCursor & { readonly at: number };
  const runs = new Map<string, RunSummary>();
  for (let from: FeedCursor = place; ; ) {
    const entries = await feed.since(from, 1_000);
    if (entries === null) return lookBack(parts, at);
    for (const { run } of entries) runs.set(run.run_id, run);
    const last = entries.at(-1);
    if (last === undefined) return [...runs.values()];
    from = { epoch: place.epoch, sequence: last.sequence };
  }
}

/** The runs that were active since then, if the feed does not reach back so far. */
async function lookBack({ engine, logger }: EventReaderParts, at: number): Promise<readonly RunSummary[]> {
  const since = new Date(at - LOOK_BACK_MS).toISOString();
  const found: RunSummary[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Engine['runs']>> = await engine.runs({
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    });
    found.push(...page.runs.filter(({ updated_at }) => updated_at >= since));
    const oldest = page.runs.at(-1);
    cursor = oldest === undefined || oldest.updated_at < since ? null : page.next;
  } while (cursor !== null && found.length < LOOK_BACK_RUNS);
  if (cursor !== null)
    logger.warn({ since, runs: found.length }, 'webhook events of older runs were skipped');
  return found;
}

/** The messages of what is new in these runs, and how far each history was read. */
async function messagesOf(runs: readonly RunSummary[], matcher: Matcher, parts: EventReaderParts) {
  const messages: NewRow[] = [];
  const read: [string, number][] = [];
  for (const summary of runs) {
    if (!matcher.wantsRun(summary)) continue;
    const found = await newEntries(summary.run_id, parts);
    if (found === null) continue;
    for (const entry of found.entries)
      messages.push(...(await messagesOfEntry(found.run, entry, matcher, parts)));
    read.push([summary.run_id, found.last]);
  }
  return { messages, read };
}

/** `null`: retention has deleted the run, or nothing is new. */
async function newEntries(runId: string, { engine }: EventReaderParts) {
  const before = Number((await engine.values.get(runKey(runId))) ?? 0);
  try {
    const [run, history] = await Promise.all([engine.run(runId), engine.history(runId)]);
    const entries = history.filter(({ sequence }) => sequence > before);
    const last = entries.at(-1)?.sequence;
    return last === undefined ? null : { run, entries, last };
  } catch (error) {
    if (isCulpritError(error, 'run_not_found')) return null;
    throw error;
  }
}

async function messagesOfEntry(run: Run, entry: HistoryEntry, matcher: Matcher, parts: EventReaderParts) {
  const made: NewRow[] = [];
  for (const type of eventsOf(entry)) {
    const wanting = matcher.wanting(type, run, entry.at);
    if (wanting.length === 0) continue;
    const target = { failures: 0, at: Date.parse(entry.at) };
    const targets = Object.fromEntries(wanting.map(({ id }) => [id, target]));
    made.push({ message: await messageOf(type, run, entry, parts), targets });
  }
  return made;
}

async function messageOf(
  type: EventType,
  run: Run,
  entry: HistoryEntry,
  { engine, boardUrl }: EventReaderParts,
): Promise<Message> {
  const { sequence, name, by, from, to, error, at } = entry;
  const {
    story: _story,
    owners,
    suspects,
    issue_change: _change,
    woken: _woken,
    comebacks: _back,
    ...about
  } = webhookData(run, boardUrl);
  const data = {
    ...about,
    owners,
    title: safeTitle(about.title),
    suspects: suspects.map((suspect) => ({ ...suspect, title: safeTitle(suspect.title, 'Change') })),
    change: { sequence, name, by, from, to, error },
    ...(type === 'run.commented' ? { comment: String(entry.detail.comment ?? '') } : {}),
    ...(type === 'run.handed_off'
      ? {
          hand_off: {
            digest: entry.digest,
            issue_url: run.publication?.issue_url ?? '',
            brief: await engine.brief(run.run_id),
          },
        }
      : {}),
  };
  const id = `${run.run_id}_${sequence}_${type}`.replace(/[^\w-]/g, '_');
  return { id, type, timestamp: at, data: harmless(data, (text) => engine.sanitiser.text(text).value) };
}

/** Every text sanitised by the installation's rules, without invisible characters. */
function harmless(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return withoutUnseen(clean(value));
  if (Array.isArray(value)) return value.map((item) => harmless(item, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, harmless(member, clean)]));
}
