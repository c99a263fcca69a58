import { CulpritError } from '@culprit/core/connector';
import { Keyv } from 'keyv';
import { keys } from '../run-store/keys.js';
import { quotaLedger } from '../run-store/quota-ledger.js';
import { countsOfHead, decode, ownerOf, type RunHead } from '../run-store/run-parts.js';
import { writeHead } from '../run-store/write-run.js';
import type { Kept } from './dump.js';
import type { OpenStore } from './open-store.js';

/** Records per write. */
const AT_ONCE = 500;
/** Reads Keyv's stored form. */
const STORED = new Keyv();

/** Rejects if the storage already contains runs: two histories cannot be merged. */
export async function checkEmpty(store: OpenStore): Promise<void> {
  const { runs } = await store.runStore.page({ limit: 1 });
  if (runs.length === 0) return;
  throw new CulpritError('configuration', 'The target storage already contains runs. Choose an empty one.', {
    path: 'to',
  });
}

/** Imports everything into an empty storage. The feed starts again, so live readers take a snapshot. */
export async function importAll(
  store: OpenStore,
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
    for (const kept of waiting) if ('value' in kept) await putValue(store, kept);
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

/** Keyv's stored form is the same on every storage. */
async function putValue(
  store: OpenStore,
  { value, text, expires }: Extract<Kept, { value: string }>,
): Promise<void> {
  const ttl = expires === 0 ? undefined : expires - Date.now();
  if (ttl !== undefined && ttl <= 0) return;
  const inner = await STORED.deserializeData<string>(text);
  if (inner?.value !== undefined) await store.values.set(value, inner.value, ttl);
}
