import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@culprit/core/internal/system';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import type { Test } from 'tap';
import { openStore } from '../../../src/storage/index.js';
import { openStorage } from './open-storage.js';

const SEEDS = 11;
const now = new Date().toISOString();
type Opened = Awaited<ReturnType<typeof openStorage>>;

/** A store of counted crashes, the first third in tables, the others in the log, and copies of it to damage. */
export async function damagedStores(root: string, deliveries: number) {
  const items = Array.from({ length: deliveries }, (_, at) =>
    makeItem(at + 1, `seed${at % SEEDS}`, { received_at: now, timestamp: now }),
  );
  const record = (store: Opened, from: number, to: number) =>
    store.runStore.record(makeBatch(items.slice(from, to), { now }));
  const pristine = join(root, 'pristine');
  const first = await openStorage(pristine);
  const inTables = Math.trunc(deliveries / 3);
  await record(first, 0, inTables);
  await first.close();
  const tool = await openStore({ url: `file:${pristine}`, logger: silentLogger });
  await tool.compact();
  await tool.close();
  const second = await openStorage(pristine);
  for (let from = inTables; from < deliveries; from += 2) await record(second, from, from + 2);
  await second.close();

  let copies = 0;
  const copied = async () => {
    const directory = join(root, String(++copies));
    const store = join(directory, 'store');
    await mkdir(store, { recursive: true });
    for (const name of await readdir(join(pristine, 'store')))
      await writeFile(join(store, name), await readFile(join(pristine, 'store', name)));
    return { directory, store };
  };
  const whole = await openStorage((await copied()).directory);
  const truth = await counts(whole);
  await whole.close();
  return {
    copied,
    truth,
    /** What the edge still has arrives again; then every crash is counted once. */
    async resent(t: Test, directory: string, what: string): Promise<void> {
      const storage = await openStorage(directory);
      const checks = await storage.check(new AbortController().signal);
      t.match(checks, [{}, { name: 'storage loss', ok: false }], what);
      t.ok((await storage.runStore.record(makeBatch([]))).watermark < deliveries, 'the edge is asked');
      for (let from = 0; from < deliveries; from += 50) await record(storage, from, from + 50);
      t.same(await counts(storage), truth, `every crash is counted once: ${what}`);
      const one = makeItem(deliveries + 1, 'seed0', { received_at: now, timestamp: now });
      await storage.runStore.record(makeBatch([one], { now }));
      const total = (await counts(storage)).reduce((sum, text) => sum + Number(text.split(' ')[1]), 0);
      t.equal(total, deliveries + 1, 'and a new one is counted');
      await storage.close();
    },
  };
}

/** The largest file of the store with such a name. */
export async function largest(store: string, name: RegExp): Promise<string> {
  const found = (await readdir(store)).filter((one) => name.test(one));
  const sizes = await Promise.all(found.map(async (one) => (await stat(join(store, one))).size));
  return join(store, found[sizes.indexOf(Math.max(...sizes))] ?? '');
}

export async function flip(path: string, at: number, bytes = 8): Promise<void> {
  const content = await readFile(path);
  for (let n = 0; n < bytes; n++) content[at + n] = (content[at + n] ?? 0) ^ 0xff;
  await writeFile(path, content);
}

/** The occurrences of every run, all of which can be read. */
export async function counts(store: Opened): Promise<readonly string[]> {
  const { runs } = await store.runStore.page({ limit: 200 });
  for (const { run_id } of runs) {
    if ((await store.runStore.get(run_id)) === null) throw new Error(`${run_id} cannot be read`);
  }
  return runs.map(({ fingerprint, occurrences }) => `${fingerprint.hash} ${occurrences}`).sort();
}
