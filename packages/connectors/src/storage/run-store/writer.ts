import { CulpritError } from '@culprit/core/connector';
import type { Group, Groups } from './groups.js';
import type { Operation, Range } from './key-value.js';
import { keys } from './keys.js';

/** What a write reads and changes: the store, including all earlier writes, whether durable or pending. */
export interface Transaction {
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Durable data only, without pending writes. */
  entries(range: Range): Promise<[key: string, value: string][]>;
  put(key: string, value: string): void;
  del(key: string): void;
  /** A number that no other run has. */
  number(): Promise<number>;
  /** Called in write order once everything is durable, before the write resolves. Must not throw. */
  afterCommit(hook: () => void): void;
}
export type Task<Result> = (tx: Transaction) => Promise<Result>;

/**
 * The only way to write. Writes run one after another, each on the result of the previous one. Writes that arrive while a
 * batch is being written share the next batch. A write that throws changes nothing; its rejection is reported after the
 * batch, so that a caller who retries finds what the write saw. If a batch fails, all its writes reject and none is
 * visible. A write may run several times, if another process changed what it read or a batch it built on failed.
 */
export interface Writer {
  write<Result>(task: Task<Result>): Promise<Result>;
  /** Waits for pending writes. Further writes reject with `closed`. */
  close(): Promise<void>;
}

interface Job {
  readonly run: (tx: Transaction) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}
type Changes = Map<string, string | null>;

const GROUP = { writes: 256, chars: 8_000_000, changes: 50_000 };
/** Attempts in a row when other processes keep changing what was read. */
const CONFLICTS = 200;

/** Writes that share one durable batch. */
interface Batch {
  readonly view: Group;
  readonly taken: Job[];
  readonly running: Job[];
  readonly refused: { readonly job: Job; readonly error: unknown }[];
  readonly changes: Changes;
  readonly hooks: (() => void)[];
}
/** A batch that is being written. */
interface Writing {
  readonly changes: ReadonlyMap<string, string | null>;
  /** Never rejects. */
  readonly done: Promise<void>;
  over: boolean;
}
const NOTHING: Writing = { changes: new Map(), done: Promise.resolve(), over: true };

export function createWriter(groups: Groups, onRecovered: () => Promise<void>): Writer {
  const waiting: Job[] = [];
  let pumping: Promise<void> | null = null;
  let arrived = () => {};
  let failed = false;
  let closed = false;
  let conflicts = 0;

  const pump = async () => {
    // Lets callers in the same turn of the event loop join.
    await null;
    let writing = NOTHING;
    while (waiting.length > 0 || !writing.over) {
      if (waiting.length === 0 || groups.alone !== true) await writing.done;
      // Written data is in the store; failed writes are nowhere.
      if (writing.over) writing = NOTHING;
      if (waiting.length === 0) continue;
      const batch = await gather(writing);
      await writing.done;
      // Writes that built on a failed batch run again.
      if (failed) waiting.unshift(...(batch?.taken ?? []));
      else if (batch !== null) writing = begin(batch);
    }
    // In the same turn as the last check, so that no write is left behind.
    pumping = null;
  };

  /** Runs the waiting writes on top of what is being written, until that is done; `null` if writing cannot even start. */
  const gather = async (writing: Writing): Promise<Batch | null> => {
    const batch: Batch = {
      view: groups.begin(),
      taken: [],
      running: [],
      refused: [],
      changes: new Map(),
      hooks: [],
    };
    try {
      if (failed && writing.over) {
        await groups.recover();
        await onRecovered();
        failed = false;
      }
    } catch (error) {
      for (const job of waiting.splice(0)) job.reject(error);
      return null;
    }
    // Fewer at a time after a conflict, to leave others less to collide with.
    const most = Math.max(1, GROUP.writes >> Math.min(conflicts, 8));
    let chars = 0;
    while (batch.taken.length < most && chars < GROUP.chars && batch.changes.size < GROUP.changes) {
      const job = waiting.shift();
      if (job !== undefined) chars += await take(batch, job, writing.changes);
      // An idle disk is not kept waiting; further writes run while this batch is written.
      else if (writing.over) break;
      else
        await Promise.race([
          writing.done,
          new Promise<void>((resolve) => {
            arrived = resolve;
          }),
        ]);
      if (writing.over && groups.alone === true && batch.taken.length > 0) break;
    }
    return batch;
  };

  const take = async (batch: Batch, job: Job, before: Writing['changes']): Promise<number> => {
    batch.taken.push(job);
    const own = await attempt(batch.view, [batch.changes, before], job, groups.number);
    if ('error' in own) {
      batch.refused.push({ job, error: own.error });
      return 0;
    }
    let chars = 0;
    batch.running.push(job);
    for (const [key, value] of own.changes) {
      batch.changes.set(key, value);
      chars += key.length + (value?.length ?? 0);
    }
    batch.hooks.push(...own.hooks);
    return chars;
  };

  const begin = (batch: Batch): Writing => {
    const writing: Writing = {
      changes: batch.changes,
      over: false,
      done: commit(batch).finally(() => {
        writing.over = true;
      }),
    };
    return writing;
  };

  const commit = async ({ view, taken, running, refused, changes, hooks }: Batch): Promise<void> => {
    try {
      if (changes.size > 0) {
        const done = await view.commit([...changes].map(operation)).catch((error) => {
          failed = true;
          throw error;
        });
        if (!done) {
          if (++conflicts > CONFLICTS) throw contended();
          waiting.unshift(...taken);
          return;
        }
      }
      conflicts = 0;
      for (const hook of hooks) hook();
      for (const job of running) job.resolve();
      for (const { job, error } of refused) job.reject(error);
    } catch (error) {
      for (const job of taken) job.reject(error);
    }
  };

  return {
    write: (task) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new CulpritError('closed', 'The storage is closed.'));
        let settle = () => {};
        waiting.push({
          run: async (tx) => {
            const result = await task(tx);
            settle = () => resolve(result);
          },
          resolve: () => settle(),
          reject,
        });
        arrived();
        pumping ??= pump();
      }),
    close: async () => {
      closed = true;
      await pumping;
    },
  };
}

type Attempt =
  | { readonly changes: Changes; readonly hooks: readonly (() => void)[] }
  | { readonly error: unknown };

/** Runs one write on top of earlier batches, the latest first. */
async function attempt(
  store: Group,
  before: readonly ReadonlyMap<string, string | null>[],
  job: Job,
  number: Groups['number'],
): Promise<Attempt> {
  const changes: Changes = new Map();
  const hooks: (() => void)[] = [];
  const written = (key: string) => {
    for (const layer of [changes, ...before]) {
      const value = layer.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const getMany = async (keys: readonly string[]) => {
    const known = keys.map(written);
    const missing = keys.filter((_, at) => known[at] === undefined);
    const read = missing.length > 0 ? await store.getMany(missing) : [];
    let next = 0;
    return known.map((value) => (value === undefined ? read[next++] : (value ?? undefined)));
  };
  const ownNumber = async () => {
    const [last] = await getMany([keys.numbers]);
    changes.set(keys.numbers, String(Number(last ?? 0) + 1));
    return Number(last ?? 0);
  };
  try {
    await job.run({
      getMany,
      entries: (range) => store.entries(range),
      number: number ?? ownNumber,
      put: (key, value) => void changes.set(key, value),
      del: (key) => void changes.set(key, null),
      afterCommit: (hook) => void hooks.push(hook),
    });
    return { changes, hooks };
  } catch (error) {
    return { error };
  }
}

function contended(): CulpritError {
  return new CulpritError('storage_unavailable', 'Other processes keep changing the same runs. Retry later.');
}

function operation([key, value]: [string, string | null]): Operation {
  return value === null ? { type: 'del', key } : { type: 'put', key, value };
}
