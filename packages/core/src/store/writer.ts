import type { RunSummary } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { KeyValue, Operation, Range } from './key-value.js';
import { keys } from './keys.js';
import { ownView, sharedView, type View, type WriterFeed } from './view.js';

/** What a write reads and changes: the store, including all earlier writes, whether durable or pending. */
export interface Transaction {
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Durable data only, without pending writes. */
  entries(range: Range): Promise<[key: string, value: string][]>;
  /** `expiresAt`: see `Operation`. */
  put(key: string, value: string, expiresAt?: number): void;
  del(key: string): void;
  /** A number that no other run has. */
  number(): Promise<number>;
  /** Adds an entry of the feed for each run. Listeners get it once everything is durable, before the write resolves. */
  append(runs: readonly RunSummary[]): void;
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
type Changes = Map<string, Operation>;

const GROUP = { writes: 256, chars: 8_000_000, changes: 50_000 };
/** Attempts in a row when other processes keep changing what was read. */
const CONFLICTS = 200;

/** Writes that share one durable batch. */
interface Batch {
  readonly view: View;
  readonly taken: Job[];
  readonly running: Job[];
  readonly refused: { readonly job: Job; readonly error: unknown }[];
  readonly changes: Changes;
  readonly appended: RunSummary[];
}
/** A batch that is being written. */
interface Writing {
  readonly changes: ReadonlyMap<string, Operation>;
  /** Never rejects. */
  readonly done: Promise<void>;
  over: boolean;
}
const NOTHING: Writing = { changes: new Map(), done: Promise.resolve(), over: true };

export function createWriter(store: KeyValue, feed: WriterFeed): Writer {
  const alone = store.sharing === undefined;

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
      if (waiting.length === 0 || !alone) await writing.done;
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
      view: alone ? ownView(store, feed) : sharedView(store, feed),
      taken: [],
      running: [],
      refused: [],
      changes: new Map(),
      appended: [],
    };
    try {
      if (failed && writing.over) {
        await store.recover();
        await feed.catchUp();
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
      if (writing.over && alone && batch.taken.length > 0) break;
    }
    return batch;
  };

  const take = async (batch: Batch, job: Job, before: Writing['changes']): Promise<number> => {
    batch.taken.push(job);
    const own = await attempt(store, batch.view, [batch.changes, before], job);
    if ('error' in own) {
      batch.refused.push({ job, error: own.error });
      return 0;
    }
    let chars = 0;
    batch.running.push(job);
    for (const [key, operation] of own.changes) {
      batch.changes.set(key, operation);
      chars += key.length + (operation.type === 'del' ? 0 : operation.value.length);
    }
    batch.appended.push(...own.appended);
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

  const commit = async ({ view, taken, running, refused, changes, appended }: Batch): Promise<void> => {
    try {
      if (changes.size > 0 || appended.length > 0) {
        const done = await view.commit([...changes.values()], appended).catch((error) => {
          failed = true;
          throw error;
        });
        if (done === null) {
          if (++conflicts > CONFLICTS) throw contended();
          waiting.unshift(...taken);
          return;
        }
        if (appended.length > 0) await feed.committed(done.feedFirst, appended);
      }
      conflicts = 0;
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
  | { readonly changes: Changes; readonly appended: readonly RunSummary[] }
  | { readonly error: unknown };

/** Runs one write on top of earlier batches, the latest first. */
async function attempt(
  store: KeyValue,
  view: View,
  before: readonly ReadonlyMap<string, Operation>[],
  job: Job,
): Promise<Attempt> {
  const changes: Changes = new Map();
  const appended: RunSummary[] = [];
  const written = (key: string): Operation | undefined => {
    for (const layer of [changes, ...before]) {
      const operation = layer.get(key);
      if (operation !== undefined) return operation;
    }
    return undefined;
  };
  const getMany = async (names: readonly string[]) => {
    const known = names.map(written);
    const missing = names.filter((_, at) => known[at] === undefined);
    const read = missing.length > 0 ? await view.getMany(missing) : [];
    let next = 0;
    return known.map((operation) => {
      if (operation === undefined) return read[next++];
      return operation.type === 'del' ? undefined : operation.value;
    });
  };
  const put: Transaction['put'] = (key, value, expiresAt) =>
    void changes.set(
      key,
      expiresAt === undefined ? { type: 'put', key, value } : { type: 'put', key, value, expiresAt },
    );
  const ownNumber = async () => {
    const [last] = await getMany([keys.numbers]);
    put(keys.numbers, String(Number(last ?? 0) + 1));
    return Number(last ?? 0);
  };
  try {
    await job.run({
      getMany,
      entries: (range) => store.entries(range),
      number: () => store.sharing?.number() ?? ownNumber(),
      put,
      del: (key) => void changes.set(key, { type: 'del', key }),
      append: (runs) => void appended.push(...runs),
    });
    return { changes, appended };
  } catch (error) {
    return { error };
  }
}

function contended(): CulpritError {
  return new CulpritError('storage_unavailable', 'Other processes keep changing the same runs. Retry later.');
}
