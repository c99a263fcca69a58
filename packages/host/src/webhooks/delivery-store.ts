import { randomBytes } from 'node:crypto';
import { CulpritError } from '@culprit/core';
import { erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import type { Values } from '@culprit/core/internal/ports/values';
import { inBatches } from '@culprit/core/internal/resilience/batches';
import type { Term } from '@culprit/core/internal/runs/lease';
import { storedList } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';

/** How long a batch may stay: longer than all attempts together. */
const BATCH_MS = 5 * 24 * 60 * 60_000;
/** Beyond this many, small batches are joined, because each is written and listed by itself. */
const MAX_BATCHES = 100;
/** Deliveries of one joined batch. */
const JOINED = 500;
/** Deliveries of a new batch, unless one message alone has more: it is written again while they go on. */
const OF_BATCH = 1_000;

/** One event, for all webhooks that want it. */
export interface Message {
  /** The same for every webhook and attempt; without a dot. */
  readonly id: string;
  readonly type: string;
  /** ISO 8601: when it happened. */
  readonly timestamp: string;
  readonly data: unknown;
}

/** What is left to do: by webhook id, the failed attempts and the time of the next one, in ms since 1970. */
export type Targets = Record<string, { readonly failures: number; readonly at: number }>;

/** A message and its targets. Changed in memory, and written by `save`. */
export interface Row {
  message: Message;
  readonly targets: Targets;
  /** Of the message, as JSON. */
  readonly bytes: number;
  /** Id of the batch with which it is stored. */
  batch: string;
}
/** What is to be stored. */
export type NewRow = Readonly<Pick<Row, 'message' | 'targets'>>;

const messageSchema = v.object({
  id: v.string(),
  type: v.string(),
  timestamp: v.string(),
  data: v.unknown(),
});
const rowSchema = v.object({
  message: messageSchema,
  targets: v.record(v.string(), v.object({ failures: v.number(), at: v.number() })),
});
const askedSchema = v.object({ message: messageSchema, webhook: v.string() });
const MAX_INBOX = 1_000;

/** The deliveries that are not over, as rows in batches. One process writes them at a time, except the inbox. */
export interface DeliveryStore {
  load(): Promise<readonly Row[]>;
  /** Stores new messages durably, in batches. */
  create(messages: readonly NewRow[]): Promise<readonly Row[]>;
  /** Writes the batches of changed rows, deletes those without targets, and joins small ones. */
  save(changed: Iterable<Row>): Promise<void>;
  /** Adds deliveries from any process; the one that delivers takes them. */
  ask(asked: readonly Asked[]): Promise<void>;
  /** Removes a person from the messages in memory, and writes the changed ones. */
  erase(person: string): Promise<void>;
  /** Moves the inbox into a batch. */
  takeInbox(now: number): Promise<readonly Row[]>;
}
export interface Asked {
  readonly message: Message;
  /** Id of the webhook. */
  readonly webhook: string;
}

/** `term`: nothing is written after it. */
export function deliveryStore(values: Values, term: Term): DeliveryStore {
  const live = new Map<string, Row[]>();
  const index = storedList(values, 'webhook:batches', { schema: v.string(), newest: 'last' });
  const inbox = storedList<Asked>(values, 'webhook:inbox', { schema: askedSchema, newest: 'last' });
  const batchOf = (id: string) =>
    storedList<NewRow>(values, `webhook:batch:${id}`, {
      ...{ schema: rowSchema, newest: 'last', ttlMs: BATCH_MS },
    });
  const put = async (id: string) => {
    await batchOf(id).set((live.get(id) ?? []).map(({ message, targets }) => ({ message, targets })));
  };
  // Not replaced as a whole: a process that has just lost its lease may still write.
  const changeIndex = async (added: readonly string[], removed: readonly string[]) => {
    await index.change((before) => {
      const ids = new Set([...before, ...added]);
      for (const id of removed) ids.delete(id);
      return [...ids];
    });
  };
  const adopt = (id: string, rows: readonly NewRow[]) => {
    const adopted = rows.map((row) => {
      const bytes = Buffer.byteLength(JSON.stringify(row.message));
      return { ...row, bytes, batch: id };
    });
    live.set(id, adopted);
    return adopted;
  };
  const create: DeliveryStore['create'] = async (messages) => {
    const batches = batchesOfRows(messages);
    const ids = batches.map(() => randomBytes(9).toString('base64url'));
    const rows = ids.flatMap((id, at) => adopt(id, batches[at] ?? []));
    for (const id of ids) {
      term.assertHeld();
      await put(id);
    }
    await changeIndex(ids, []);
    // Else the next leader may have read the index before: it must find these messages at their source.
    term.assertHeld();
    return rows;
  };
  return {
    create,
    async load() {
      live.clear();
      const found = await inBatches(await index.get(), 50, async (id) => {
        const rows = await batchOf(id).get();
        return rows.length === 0 ? [] : adopt(id, rows);
      });
      return found.flat();
    },
    async save(changed) {
      term.assertHeld();
      const over: string[] = [];
      for (const id of new Set([...changed].map(({ batch }) => batch))) {
        const left = (live.get(id) ?? []).filter(({ targets }) => Object.keys(targets).length > 0);
        if (left.length > 0) {
          live.set(id, left);
          await put(id);
        } else if (live.delete(id)) over.push(id);
      }
      if (live.size > MAX_BATCHES) over.push(...(await join(live, put)));
      if (over.length === 0) return;
      await changeIndex([], over);
      await inBatches(over, 50, (id) => batchOf(id).delete());
    },
    async erase(person) {
      term.assertHeld();
      for (const [id, rows] of live) {
        let places = 0;
        for (const row of rows) {
          const erased = erasePerson(row.message, person, false);
          if (erased.places > 0) row.message = erased.value;
          places += erased.places;
        }
        if (places > 0) await put(id);
      }
    },
    async ask(asked) {
      await inbox.change((before) => {
        const all = [...before, ...asked];
        if (all.length <= MAX_INBOX) return all;
        throw new CulpritError(
          'rate_limited',
          'Too many messages are waiting to be sent again. Try again later.',
          {
            retryAfterMs: 10_000,
          },
        );
      });
    },
    async takeInbox(now) {
      const asked = await inbox.get();
      if (asked.length === 0) return [];
      const rows = await create(
        asked.map(({ message, webhook }) => ({ message, targets: { [webhook]: { failures: 0, at: now } } })),
      );
      // A process that ends here delivers them twice, with the same id. Others only add at the end.
      await inbox.change((later) => later.slice(asked.length));
      return rows;
    },
  };
}

function batchesOfRows(rows: readonly NewRow[]): readonly (readonly NewRow[])[] {
  const batches: NewRow[][] = [];
  let size = OF_BATCH;
  for (const row of rows) {
    const own = Object.keys(row.targets).length;
    if (size + own > OF_BATCH) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(row);
    size += own;
  }
  return batches;
}

/** Joins small batches; returns the ids of those that are over. */
async function join(live: Map<string, Row[]>, put: (id: string) => Promise<void>): Promise<string[]> {
  const sized = [...live].map(([id, rows]) => {
    return { id, size: rows.reduce((sum, { targets }) => sum + Object.keys(targets).length, 0) };
  });
  const over: string[] = [];
  const changed = new Set<string>();
  let into: { id: string; size: number } | null = null;
  for (const one of sized.filter(({ size }) => size < JOINED / 2)) {
    if (into === null || into.size + one.size > JOINED) {
      into = one;
      continue;
    }
    const moved = live.get(one.id) ?? [];
    for (const row of moved) row.batch = into.id;
    live.get(into.id)?.push(...moved);
    into.size += one.size;
    live.delete(one.id);
    over.push(one.id);
    changed.add(into.id);
  }
  for (const id of changed) await put(id);
  return over;
}
