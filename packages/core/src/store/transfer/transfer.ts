import { CulpritError } from '../../errors/error.js';
import { type KeyValue, walk, walkKeys } from '../key-value.js';
import { keys } from '../keys.js';
import type { Store } from '../open-store.js';
import { quotaLedger } from '../quota-ledger.js';
import { countsOfHead, decode, ownerOf, type RunHead } from '../run-parts.js';
import { type KeptValue, putValue, walkValues } from '../values.js';
import { writeHead } from '../write-run.js';
import { EXPORTED_FAMILIES } from './record-check.js';

/** One record of a storage of any kind. Activity lists and the feed are excluded: they are rebuilt. */
export type Kept = { readonly key: string; readonly text: string } | KeptValue;

/** Every run in the storage, in a list or not. Some may appear twice while other processes write. */
export async function* runIds(store: KeyValue): AsyncGenerator<string> {
  for await (const found of walkKeys(store, 'h/')) yield* found.map((key) => key.slice('h/'.length));
}

/** Approximate number of runs, for a progress bar. */
export async function countRunIds(store: KeyValue): Promise<number> {
  let runs = 0;
  for await (const found of walkKeys(store, 'h/')) runs += found.length;
  return runs;
}

/** Every record, watermarks first, so that a copy taken while others write counts nothing twice. */
export async function* everything(store: KeyValue): AsyncGenerator<Kept> {
  for (const family of EXPORTED_FAMILIES) {
    for await (const entries of walk(store, family)) yield* entries.map(([key, text]) => ({ key, text }));
  }
  yield* walkValues(store);
}

/** Records per write. */
const AT_ONCE = 500;

/** Rejects if the storage already contains runs: two histories cannot be merged. */
export async function checkEmpty(store: Store): Promise<void> {
  const { runs } = await store.runStore.page({ limit: 1 });
  if (runs.length === 0) return;
  throw new CulpritError('configuration', 'The target storage already contains runs. Choose an empty one.', {
    path: 'to',
  });
}

/** Imports everything into an empty storage. The feed starts again, so live readers take a snapshot. */
export async function importAll(
  store: Store,
  all: AsyncIterable<Kept>,
  progress: (things: number, runs: number) => void,
): Promise<{ readonly things: number; readonly runs: number }> {
  let things = 0;
  let runs = 0;
  let waiting: Kept[] = [];
  const flush = async () => {
    const records = waiting.flatMap((kept) => ('key' in kept ? [kept] : []));
    await store.writer.write(async (tx) => {
      const ledger = quotaLedger(tx);
      for (const { key, text } of records) {
        if (!key.startsWith('h/')) tx.put(key, text);
        else {
          runs += 1;
          const head = decode<RunHead>(text, 'run');
          // Numbers belong to the index of one storage. Core indexes the runs when it starts.
          await writeHead(tx, null, { ...head, number: undefined });
          tx.del(keys.indexed);
          await ledger.load(ownerOf(head));
          ledger.add(ownerOf(head), countsOfHead(head));
          // From an older version: core counts it when it starts.
          if (head.kept === undefined && !head.tombstone) tx.del(keys.counted);
        }
      }
      ledger.write();
    });
    for (const kept of waiting) if ('value' in kept) await putValue(store.values, kept);
    things += waiting.length;
    waiting = [];
    progress(things, runs);
  };
  for await (const kept of all) {
    waiting.push(kept);
    if (waiting.length >= AT_ONCE) await flush();
  }
  await flush();
  return { things, runs };
}
