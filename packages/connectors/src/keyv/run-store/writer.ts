import { CulpritError } from '@culprit/core';
import type { Group, Groups } from './groups.js';
import type { Operation, Range } from './key-value.js';

/** What a write sees and does: the store with everything that was written before it, durable or about to be. */
export interface Transaction {
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** What is durable; writes that are still under way are not in it. */
  entries(range: Range): Promise<[key: string, value: string][]>;
  put(key: string, value: string): void;
  del(key: string): void;
  /** Called once all is durable, before the write resolves, in the order of writes. Must not throw. */
  afterCommit(hook: () => void): void;
}
export type Task<Result> = (tx: Transaction) => Promise<Result>;

/**
 * The only way anything is written. Law: writes run one after another, each on what the former left; those that wait
 * share one durable batch; one that throws leaves nothing; if the batch fails, all that shared it reject and none is seen.
 * One that throws is told after the batch: what it threw about may stand in there, and who tries again must find it.
 * A write may run several times, where another process changed what it had read.
 */
export interface Writer {
  write<Result>(task: Task<Result>): Promise<Result>;
  /** Waits for what is under way; further writes reject with `closed`. */
  close(): Promise<void>;
}

interface Job {
  readonly run: (tx: Transaction) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}
type Changes = Map<string, string | null>;

const GROUP = { writes: 256, chars: 8_000_000 };
/** How often in a row writes are made anew because another process was faster. */
const CONFLICTS = 200;

export function createWriter(groups: Groups, onRecovered: () => Promise<void>): Writer {
  const waiting: Job[] = [];
  let pumping: Promise<void> | null = null;
  let failed = false;
  let closed = false;
  let conflicts = 0;

  const pump = async () => {
    // Lets callers of the same turn in.
    await null;
    while (waiting.length > 0) await group();
    // In the same turn as the last look, so that no write is left behind.
    pumping = null;
  };

  const group = async () => {
    const running: Job[] = [];
    const refused: { readonly job: Job; readonly error: unknown }[] = [];
    const taken: Job[] = [];
    const pending: Changes = new Map();
    const hooks: (() => void)[] = [];
    try {
      if (failed) {
        await groups.recover();
        await onRecovered();
        failed = false;
      }
      let chars = 0;
      const view = groups.begin();
      // Fewer at a time after a conflict, so that there is less for others to change meanwhile.
      const most = Math.max(1, GROUP.writes >> Math.min(conflicts, 8));
      while (taken.length < most && chars < GROUP.chars) {
        const job = waiting.shift();
        if (job === undefined) break;
        taken.push(job);
        const own = await attempt(view, pending, job);
        if ('error' in own) {
          refused.push({ job, error: own.error });
          continue;
        }
        running.push(job);
        for (const [key, value] of own.changes) {
          pending.set(key, value);
          chars += key.length + (value?.length ?? 0);
        }
        hooks.push(...own.hooks);
      }
      if (pending.size > 0) {
        const done = await view.commit([...pending].map(operation)).catch((error) => {
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
      for (const job of taken.length > 0 ? taken : waiting.splice(0)) job.reject(error);
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

/** Runs one write. */
async function attempt(store: Group, pending: Changes, job: Job): Promise<Attempt> {
  const changes: Changes = new Map();
  const hooks: (() => void)[] = [];
  const written = (key: string) => (changes.has(key) ? changes.get(key) : pending.get(key));
  try {
    await job.run({
      getMany: async (keys) => {
        const missing = keys.filter((key) => written(key) === undefined);
        const read = missing.length > 0 ? await store.getMany(missing) : [];
        const stored = new Map(missing.map((key, at) => [key, read[at]]));
        return keys.map((key) => {
          const value = written(key);
          return value === undefined ? stored.get(key) : (value ?? undefined);
        });
      },
      entries: (range) => store.entries(range),
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
  return new CulpritError(
    'storage_unavailable',
    'Other processes write to the same runs faster than this one can.',
  );
}

function operation([key, value]: [string, string | null]): Operation {
  return value === null ? { type: 'del', key } : { type: 'put', key, value };
}
