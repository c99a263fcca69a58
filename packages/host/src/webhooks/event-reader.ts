import { setTimeout as sleep } from 'node:timers/promises';
import { webhookData } from '@culprit/connectors/webhook';
import {
  type Engine,
  type HistoryEntry,
  isCulpritError,
  type Logger,
  type Run,
  type RunSummary,
} from '@culprit/core';
import { safeTitle } from '@culprit/core/connector';
import { EVENT_NAMES, type EventType, eventsOf } from '@culprit/core/internal/domain/webhook-events';
import { withoutUnseen } from '@culprit/core/internal/pipeline/draft/visible';
import type { FeedCursor, FeedEntry } from '@culprit/core/internal/ports/status-feed';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import type { Message, NewRow } from './delivery-store.js';
import type { Pace } from './pace.js';
import type { Filtered, Matcher } from './subscription.js';

/** Runs whose version is remembered, so that counting a crash costs one look. */
const KNOWN_RUNS = 50_000;
/** How long a run's progress is remembered without a change. */
const RUN_MS = 30 * 24 * 60 * 60_000;
/** Runs that are looked at after the feed's buffer was too short. */
const LOOK_BACK_RUNS = 1_000;
const LOOK_BACK_MS = 60_000;
/** Changes of this long are read together: a decision changes its run twice. */
const GATHER_MS = 200;
/** Runs that are read, and whose messages are stored, together. */
const ROUND = 10;
/** Changed runs beyond which reading no longer gives way to other work: they are in memory. */
const MAX_WAITING = 20_000;
/** How long reading waits for deliveries that are not sent yet. Slow receivers must not hold up the others. */
const MAX_HELD_MS = 60_000;
const HELD_LOOK_MS = 100;
/** How often the place in the feed is stored, and how far the histories were read that nobody wanted. */
const PLACE_EVERY_MS = 5_000;
const AGAIN_MS = 5_000;
/** The place of a change that came before this process: the stored place stays until it is read. */
const UNKNOWN = 0;

const PLACE = 'webhook:feed';
const runKey = (runId: string) => `webhook:run:${runId}`;

interface EventReaderParts {
  readonly engine: Pick<Engine, 'feed' | 'values' | 'run' | 'runs' | 'history' | 'brief' | 'sanitiser'>;
  readonly boardUrl: string;
  /** The filters as they are stored now. */
  readonly matcher: () => Promise<Matcher>;
  /** Stores the messages durably, and sends them. */
  readonly deliver: (messages: readonly NewRow[]) => Promise<void>;
  /** Whether so much is to be sent that further messages had better wait where they are: in the histories. */
  readonly crowded: () => boolean;
  readonly pace: Pace;
  readonly logger: Logger;
  readonly now: () => number;
}

export interface EventReader {
  /** Waits until the messages that are being made are stored. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** What is kept of a changed run until it is read. */
interface Changed extends Filtered {
  readonly run_id: string;
  readonly version: number;
  /** `null`: any may have happened. */
  readonly types: readonly EventType[] | null;
  /** Of its first change that was not read: place in the feed, and when it came, in ms since 1970. */
  readonly sequence: number;
  readonly at: number;
}

/** How far a run was read. `entry`: the last one of its history; `null`: as stored. */
interface Known {
  readonly version: number;
  readonly entry: number | null;
}

/**
 * Turns what happens into messages: the status feed says which run changed, its history says what happened. Both the place in the
 * feed and the last entry of each run are stored, so that nothing is missed while no core runs, and nothing is made twice. A
 * history is read only if a webhook may want what is new in it.
 */
export async function readEvents(parts: EventReaderParts): Promise<EventReader> {
  const { engine, logger, now, pace } = parts;
  const { feed, values } = engine;
  const known = boundedMap<string, Known>(KNOWN_RUNS);
  /** In the order of their first change. */
  const pending = new Map<string, Changed>();
  /** Last entries of histories that nobody wanted. */
  const unwanted = new Map<string, number>();
  const stopping = new AbortController();
  let { epoch, sequence: reached } = await feed.head();
  let stored = { at: now(), sequence: -1 };
  let closed = false;
  let turn: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  const add = (run: RunSummary, sequence: number) => {
    const before = pending.get(run.run_id);
    pending.set(run.run_id, {
      run_id: run.run_id,
      version: run.version,
      project: run.project,
      level: run.level,
      environments: run.environments,
      types: typesOf(run),
      sequence: before?.sequence ?? sequence,
      at: before?.at ?? now(),
    });
  };
  const seen = ({ sequence, run }: Pick<FeedEntry, 'sequence' | 'run'>) => {
    reached = sequence;
    if (known.get(run.run_id)?.version === run.version) return;
    add(run, sequence);
    wake(GATHER_MS);
  };
  /** Stores the place before which everything was read. */
  const savePlace = async () => {
    const place = { epoch, at: now(), sequence: reached };
    for (const { sequence, at } of pending.values()) {
      place.sequence = Math.min(place.sequence, sequence - 1);
      place.at = Math.min(place.at, at);
    }
    await inBatches([...unwanted], ROUND, async ([runId, entry]) => {
      // Another process may lead by now, and have read further.
      const later = (text = '0') => (Number(text) < entry ? String(entry) : undefined);
      await values.change(runKey(runId), later, RUN_MS);
      if (unwanted.get(runId) === entry) unwanted.delete(runId);
    });
    if (place.sequence < 0 || place.sequence === stored.sequence) return;
    stored = place;
    await values.set(PLACE, JSON.stringify(place));
  };
  const done = (run: Changed, entry: number | null) => {
    known.set(run.run_id, { version: run.version, entry });
    if (pending.get(run.run_id) === run) pending.delete(run.run_id);
  };
  const round = async (runs: readonly Changed[], matcher: Matcher) => {
    const found = await inBatches(runs, ROUND, (run) => newOf(run, known.get(run.run_id), matcher, parts));
    const messages = found.flatMap((one) => one.messages);
    if (messages.length > 0) await parts.deliver(messages);
    await inBatches(found, ROUND, async ({ run, entry, messages: own }) => {
      if (own.length > 0) {
        await values.set(runKey(run.run_id), String(entry), RUN_MS);
        unwanted.delete(run.run_id);
      } else if (entry !== null && entry !== known.get(run.run_id)?.entry) unwanted.set(run.run_id, entry);
      done(run, entry);
    });
  };
  const mayGoOn = async () => {
    for (const until = performance.now() + MAX_HELD_MS; parts.crowded() && performance.now() < until; )
      await sleep(HELD_LOOK_MS, undefined, { ref: false, signal: stopping.signal });
    while (!closed && pending.size < MAX_WAITING && !pace.take())
      await sleep(pace.waitMs(), undefined, { ref: false, signal: stopping.signal });
  };
  const work = async () => {
    const matcher = await parts.matcher();
    const wanted: Changed[] = [];
    for (const run of pending.values()) {
      if (matcher.wantsRun(run, run.types ?? EVENT_NAMES)) wanted.push(run);
      else done(run, known.get(run.run_id)?.entry ?? null);
      if (wanted.length === ROUND) break;
    }
    for (const _run of wanted) await mayGoOn();
    if (wanted.length > 0 && !closed) await round(wanted, matcher);
  };
  const wake = (ms: number) => {
    if (turn !== null || timer !== null || closed) return;
    timer = setTimeout(() => {
      timer = null;
      let pauseMs = 0;
      turn = work()
        .catch((err) => {
          if (closed) return;
          logger.warn({ err }, 'webhook events could not be stored');
          pauseMs = AGAIN_MS;
        })
        .finally(() => {
          turn = null;
          if (pending.size > 0) wake(pauseMs || (pending.size < ROUND ? GATHER_MS : 0));
        });
    }, ms).unref();
  };
  const stop = feed.watch(seen, (head) => {
    epoch = head.epoch;
    reached = head.sequence;
    for (const run of pending.values()) pending.set(run.run_id, { ...run, sequence: UNKNOWN });
    void lookBack(parts, stored.at).then(
      (runs) => {
        for (const run of runs) add(run, UNKNOWN);
        wake(0);
      },
      (err) => logger.warn({ err }, 'webhook events may be missing'),
    );
  });
  const end = async () => {
    closed = true;
    stopping.abort();
    stop();
    if (timer !== null) clearTimeout(timer);
    await turn;
  };
  try {
    for (const run of await missed(parts)) if (!pending.has(run.run_id)) add(run, UNKNOWN);
    if (pending.size === 0) await savePlace();
    else wake(0);
  } catch (error) {
    // The stored place stays: what was missed is read at the next start.
    await end();
    throw error;
  }
  const saving = setInterval(() => void savePlace().catch(() => {}), PLACE_EVERY_MS).unref();
  return {
    async settled() {
      await turn;
    },
    async close() {
      clearInterval(saving);
      await end();
      await savePlace().catch(() => {});
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

/** The events of a run's first version, which is only staged. Nothing else is known without its history. */
function typesOf({ version, regression_of }: RunSummary): readonly EventType[] | null {
  if (version > 1) return null;
  return [regression_of === null ? 'run.created' : 'run.regressed'];
}

/** What is new in a run. `entry`: how far its history was read; `null`: retention has deleted it, or nothing is new. */
async function newOf(changed: Changed, before: Known | undefined, matcher: Matcher, parts: EventReaderParts) {
  const { engine } = parts;
  const { run_id } = changed;
  const none = { run: changed, entry: before?.entry ?? null, messages: [] as readonly NewRow[] };
  try {
    const from = before?.entry ?? Number((await engine.values.get(runKey(run_id))) ?? 0);
    const entries = (await engine.history(run_id)).filter(({ sequence }) => sequence > from);
    const entry = entries.at(-1)?.sequence;
    if (entry === undefined) return none;
    const types = entries.flatMap(eventsOf);
    if (!matcher.wantsRun(changed, types)) return { ...none, entry };
    const run = await engine.run(run_id);
    const messages: NewRow[] = [];
    for (const one of entries) messages.push(...(await messagesOfEntry(run, one, matcher, parts)));
    return { ...none, entry, messages };
  } catch (error) {
    if (isCulpritError(error, 'run_not_found')) return none;
    throw error;
  }
}

interface MessageParts {
  readonly engine: Pick<Engine, 'brief' | 'sanitiser'>;
  readonly boardUrl: string;
}

/** The messages of one history entry, each with the webhooks that want it. */
async function messagesOfEntry(
  run: Run,
  entry: HistoryEntry,
  matcher: Matcher,
  parts: MessageParts,
): Promise<readonly NewRow[]> {
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
  { engine, boardUrl }: MessageParts,
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
