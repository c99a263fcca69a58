import type { Logger } from '@culprit/core';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { retryDelayMs } from '@culprit/core/internal/resilience/retry-delay';
import type { Term } from '@culprit/core/internal/runs/lease';
import type { DeliveryStore, Message, Row } from './delivery-store.js';
import { createLanes } from './lanes.js';
import type { Pace } from './pace.js';
import type { Attempt, AttemptCode, MessageToSend } from './send-message.js';
import type { Webhook } from './subscription.js';
import {
  type DeadDelivery,
  type Happened,
  MAX_DEAD,
  SUCCESS_MS,
  type WebhookStates,
} from './webhook-state.js';
import { MAX_WEBHOOKS } from './webhook-store.js';

/** Delays between attempts, the day that Standard Webhooks proposes: 5 s, 5 min, 30 min, 2 h, 5 h, 8 h, 8 h. */
export const RETRY_PAUSES_MS = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 28_800_000, 28_800_000];
/** Maximum share by which jitter shortens a delay. */
const JITTER = 0.2;
/** Outcomes of this long are written together. A process that is killed meanwhile repeats those deliveries. */
const WRITE_MS = 200;
const WRITE_AGAIN_MS = 5_000;
/** How long requests that have been sent are waited for when the process ends. */
const LAST_MS = 2_000;
/** Messages whose JSON is kept. */
const BODIES = 16;

interface DelivererParts {
  readonly store: DeliveryStore;
  readonly states: WebhookStates;
  /** The webhook as it is now; `null`: deleted. */
  readonly find: (id: string) => Webhook | null;
  readonly secrets: (id: string) => Promise<readonly string[]>;
  /** The receiver answered 410. */
  readonly gone: (id: string) => Promise<void>;
  readonly send: (message: MessageToSend, signal: AbortSignal) => Promise<Attempt>;
  /** Nothing is sent or written after it. */
  readonly term: Term;
  readonly pace: Pace;
  readonly pausesMs: readonly number[];
  readonly logger: Logger;
  readonly now: () => number;
}

/** Sends stored messages until each is delivered or given up. */
interface Deliverer {
  /** Rows that are stored. */
  add(rows: readonly Row[]): void;
  /** Whether further messages had better wait until these are sent. */
  crowded(): boolean;
  /** Ends what waits for webhooks that were deleted. */
  dropDeleted(): void;
  /** Writes what has happened until now. */
  written(): Promise<void>;
  /** Ends requests, and writes what happened. */
  close(): Promise<void>;
}

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { find, logger, now, term } = parts;
  const stopping = new AbortController();
  /** By the webhook that waits. */
  const timers = new Map<NodeJS.Timeout, { readonly id: string; readonly row: Row }>();
  const backlog = createBacklog();
  const sending = new Set<Promise<unknown>>();
  const results = writeBehind(parts);
  const bodies = lastBodies();
  let closing = false;

  const over = (webhook: string, row: Row) => {
    results.changed(row, webhook, null);
    backlog.remove(webhook, row);
  };
  const giveUp = (webhook: string, row: Row, attempts: number, code: AttemptCode, status: number | null) => {
    const { message } = row;
    const at = new Date(now()).toISOString();
    results.dead(webhook, { id: message.id, type: message.type, at, attempts, code, status, message });
    over(webhook, row);
  };
  const failed = (id: string, row: Row, { code, status, retryAfterMs }: Attempt) => {
    const failures = (row.targets[id]?.failures ?? 0) + 1;
    results.failure(id, { at: new Date(now()).toISOString(), code, status });
    if (code === 'gone') {
      void parts
        .gone(id)
        .catch((err) => logger.warn({ webhook: id, err }, 'a webhook could not be turned off'));
      return giveUp(id, row, failures, code, status);
    }
    if (failures > parts.pausesMs.length) {
      logger.warn({ webhook: id, message: row.message.id, code, status }, 'a webhook delivery was given up');
      return giveUp(id, row, failures, code, status);
    }
    const ms = retryDelayMs(parts.pausesMs, failures, { jitter: JITTER, retryAfterMs });
    results.changed(row, id, { failures, at: now() + ms });
    later(id, row, ms);
  };
  const attempt = async (id: string, row: Row): Promise<boolean> => {
    const webhook = find(id);
    if (webhook === null) over(id, row);
    else if (!webhook.enabled) giveUp(id, row, row.targets[id]?.failures ?? 0, 'turned_off', null);
    else {
      const { id: messageId } = row.message;
      const body = bodies(row.message);
      const secrets = await parts.secrets(id);
      term.assertHeld();
      const outcome = await parts.send({ url: webhook.url, id: messageId, body, secrets }, stopping.signal);
      if (!outcome.ok) {
        failed(id, row, outcome);
        return false;
      }
      results.success(id, new Date(now()).toISOString());
      over(id, row);
    }
    return true;
  };
  const lanes = createLanes<Row>(async (id, row) => {
    if (closing) return false;
    const work = attempt(id, row)
      .catch((err) => {
        if (stopping.signal.aborted) return false;
        // The storage failed: the row is still stored.
        logger.warn({ webhook: id, err }, 'a webhook delivery failed');
        later(id, row, WRITE_AGAIN_MS);
        return false;
      })
      .finally(() => sending.delete(work));
    sending.add(work);
    return work;
  }, parts.pace);
  const later = (id: string, row: Row, ms: number) => {
    if (closing) return;
    if (ms <= 0) return lanes.add(id, row);
    const timer = setTimeout(() => {
      timers.delete(timer);
      lanes.add(id, row);
    }, ms);
    timer.unref();
    timers.set(timer, { id, row });
  };
  const halt = () => {
    closing = true;
    for (const timer of timers.keys()) clearTimeout(timer);
    timers.clear();
  };
  const abandon = () => {
    halt();
    stopping.abort();
  };
  if (term.lost.aborted) abandon();
  else term.lost.addEventListener('abort', abandon, { once: true });
  return {
    crowded: lanes.crowded,
    add(rows) {
      for (const row of rows) {
        for (const [id, { at, failures }] of Object.entries(row.targets)) {
          const full = !backlog.add(id, row);
          if (find(id) === null) over(id, row);
          else if (full) giveUp(id, row, failures, 'queue_full', null);
          else later(id, row, failures === 0 ? 0 : at - now());
        }
      }
    },
    dropDeleted() {
      for (const [timer, { id, row }] of timers) {
        if (find(id) !== null) continue;
        clearTimeout(timer);
        timers.delete(timer);
        over(id, row);
      }
    },
    written: results.written,
    async close() {
      halt();
      // What is answered now is not sent again by the next process.
      const last = setTimeout(() => stopping.abort(), LAST_MS);
      await Promise.all(sending);
      clearTimeout(last);
      await results.close();
    },
  };
}

/** The body of a message. The last ones are kept, because a message goes to its webhooks one after another. An erasure replaces the message. */
function lastBodies() {
  const bodies = boundedMap<Message, string>(BODIES);
  return (message: Message): string => {
    const { type, timestamp, data } = message;
    const body = bodies.get(message) ?? JSON.stringify({ type, timestamp, data });
    bodies.set(message, body);
    return body;
  };
}

/** Collects outcomes and writes them together. */
function writeBehind({ store, states, find, term, now, logger }: DelivererParts) {
  const rows = new Set<Row>();
  const happened = new Map<string, Happened>();
  /** When a success was noted that no failure followed, in ms since 1970. Another one soon after changes nothing. */
  const succeeded = boundedMap<string, number>(MAX_WEBHOOKS);
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    timer = null;
    const [changed, notes] = [[...rows], [...happened]];
    rows.clear();
    happened.clear();
    // The next leader has read the stored state, and repeats what was not written.
    if (term.lost.aborted) return;
    try {
      // A delivery is listed as dead before it leaves the batch: it is never in neither.
      // What ends after its webhook was deleted leaves nothing behind.
      for (const [id, note] of notes) if (find(id) !== null) await states.note(id, note);
      notes.length = 0;
      await store.save(changed);
    } catch (err) {
      logger.warn({ err }, 'outcomes of webhook deliveries could not be stored');
      for (const row of changed) rows.add(row);
      for (const [id, note] of notes) happened.set(id, merged(note, happened.get(id)));
      schedule(WRITE_AGAIN_MS);
    }
  };
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => {
      writing = writing.then(write);
    }, ms).unref();
  };
  const of = (id: string) => {
    const known = happened.get(id) ?? { dead: [] };
    happened.set(id, known);
    schedule(WRITE_MS);
    return known;
  };
  return {
    changed(row: Row, webhook: string, next: Row['targets'][string] | null) {
      if (next === null) delete row.targets[webhook];
      else row.targets[webhook] = next;
      rows.add(row);
      schedule(WRITE_MS);
    },
    dead(id: string, delivery: DeadDelivery) {
      succeeded.delete(id);
      const known = of(id);
      known.dead = [...known.dead, delivery].slice(-MAX_DEAD);
    },
    success(id: string, at: string) {
      const isKnown = (succeeded.get(id) ?? 0) > now() - SUCCESS_MS;
      if (isKnown && !happened.has(id)) return;
      of(id).success = at;
      succeeded.set(id, now());
    },
    failure(id: string, failure: NonNullable<Happened['failure']>) {
      succeeded.delete(id);
      of(id).failure = failure;
    },
    async written() {
      if (timer !== null) {
        clearTimeout(timer);
        writing = writing.then(write);
      }
      await writing;
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      await writing;
      await write();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function merged(earlier: Happened, later: Happened = { dead: [] }): Happened {
  return { ...earlier, ...later, dead: [...earlier.dead, ...later.dead].slice(-MAX_DEAD) };
}

/** Waiting deliveries of one webhook, and of all. What comes beyond is given up at once. */
const MAX_WAITING = 10_000;
const MAX_WAITING_OF_ALL = 100_000;
/** Bytes of the messages that wait, as JSON. They are in memory, each once for all its webhooks. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Counts what waits. */
interface Backlog {
  /** False if it was too much. The delivery is counted until `remove`, all the same. */
  add(webhook: string, row: Row): boolean;
  remove(webhook: string, row: Row): void;
}

export function createBacklog(mostBytes = MAX_BYTES): Backlog {
  const waiting = new Map<string, number>();
  /** Deliveries of each message that wait. */
  const rows = new Map<Row, number>();
  let all = 0;
  let bytes = 0;
  return {
    add(webhook, row) {
      const own = (waiting.get(webhook) ?? 0) + 1;
      waiting.set(webhook, own);
      const known = rows.get(row) ?? 0;
      rows.set(row, known + 1);
      if (known === 0) bytes += row.bytes;
      all += 1;
      return own <= MAX_WAITING && all <= MAX_WAITING_OF_ALL && bytes <= mostBytes;
    },
    remove(webhook, row) {
      const own = (waiting.get(webhook) ?? 0) - 1;
      if (own <= 0) waiting.delete(webhook);
      else waiting.set(webhook, own);
      const left = (rows.get(row) ?? 0) - 1;
      if (left > 0) rows.set(row, left);
      else if (rows.delete(row)) bytes -= row.bytes;
      all -= 1;
    },
  };
}
