import { mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@culprit/core/internal/system';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { randomBetween } from '../../../../bench/faults/lib/random.mjs';
import { repairStore, storeDamage } from '../../src/storage/index.js';
import { counts, damagedStores, flip, largest } from './support/damaged-store.js';
import { killRounds } from './support/kill-rounds.js';
import { openStorage } from './support/open-storage.js';

t.setTimeout(1_200_000);

t.test('30 kills at other random moments in each run', (t) => killRounds(t, 30));

const stores = await damagedStores(temporaryFolder(t, 'damage'), 300);
const root = temporaryFolder(t, 'none');

t.test('bytes flipped in a log are found at the start, repaired, and asked for again', async (t) => {
  const { store: any } = await stores.copied();
  const { size } = await stat(await largest(any, /\.log$/));
  t.ok(size > 100_000, `the log has ${size} bytes`);
  for (let round = 0; round < 12; round++) {
    const { directory, store } = await stores.copied();
    const log = await largest(store, /\.log$/);
    const at = round === 0 ? 3 : randomBetween(0, size - 70_000);
    await flip(log, at);
    const before = await readFile(log);
    await t.rejects(openStorage(directory), {
      code: 'storage_unavailable',
      message: /damaged: .*\.log.*Nothing was changed.*culprit store repair/,
    });
    t.ok(before.equals(await readFile(log)), 'nothing was changed');
    const repair = await repairStore({ directory, logger: silentLogger });
    t.match(repair, { damage: [/changes are missing from .*\.log|damaged bytes/], missing: { edges: 1 } });
    t.ok(
      before.equals(await readFile(join(repair.backup, log.slice(store.length)))),
      'the damaged log is kept',
    );
    await stores.resent(t, directory, `8 bytes at ${at}`);
  }
});

t.test('a log that ends early, whatever the cause, is said', async (t) => {
  for (const cut of [2_000, 40_000]) {
    const { directory, store } = await stores.copied();
    const log = await largest(store, /\.log$/);
    await truncate(log, (await stat(log)).size - cut);
    await stores.resent(t, directory, `cut by ${cut}`);
  }
  const { directory, store } = await stores.copied();
  const log = await largest(store, /\.log$/);
  await flip(log, (await stat(log)).size - 1_000, 1_000);
  await stores.resent(t, directory, 'garbage at the end');
});

t.test('a crash of core is no loss', async (t) => {
  const { directory, store } = await stores.copied();
  const log = await largest(store, /\.log$/);
  await writeFile(log, Buffer.concat([await readFile(log), Buffer.alloc(500, 7)]));
  const storage = await openStorage(directory);
  t.match((await storage.check(new AbortController().signal)) as unknown[], { length: 1 });
  t.same(await counts(storage), stores.truth);
  await storage.close();
});

const OTHERS: readonly [what: string, damage: (store: string) => Promise<unknown>, said: RegExp][] = [
  ['a missing CURRENT', (store) => rm(join(store, 'CURRENT')), /CURRENT is missing/],
  ['an empty CURRENT', (store) => writeFile(join(store, 'CURRENT'), ''), /CURRENT names no file/],
  [
    'a flipped MANIFEST',
    async (store) => flip(await largest(store, /^MANIFEST/), 20),
    /MANIFEST-\d+ is damaged/,
  ],
  [
    'an empty MANIFEST',
    async (store) => truncate(await largest(store, /^MANIFEST/), 0),
    /MANIFEST-\d+ is damaged/,
  ],
  [
    'a short table',
    async (store) => truncate(await largest(store, /\.ldb$/), 500),
    /has 500 instead of \d+ bytes/,
  ],
  ['a missing table', async (store) => rm(await largest(store, /\.ldb$/)), /table \d+ is missing/],
];
t.test('other damage is named, and never said to mend itself', async (t) => {
  for (const [what, damage, said] of OTHERS) {
    const { directory, store } = await stores.copied();
    await damage(store);
    const error = await openStorage(directory).catch((error: unknown) => error);
    t.match(error, { code: 'storage_unavailable', message: said }, what);
    t.notMatch(String(error), /automatically/);
    await repairStore({ directory, logger: silentLogger });
    await stores.resent(t, directory, what);
  }
});

t.test('a flipped byte in a table', async (t) => {
  const { directory, store } = await stores.copied();
  const table = await largest(store, /\.ldb$/);
  const { size } = await stat(table);
  for (const at of [200, Math.trunc(size / 2), size - 60]) await flip(table, at, 1);
  t.match(await storeDamage(directory), [/\d+\.ldb/]);
  const { damage } = await repairStore({ directory, logger: silentLogger });
  t.match(damage, [/\.ldb/]);
  t.same(await storeDamage(directory), []);
  await stores.resent(t, directory, 'a table');
});

t.test('a repair that was killed in the middle ends at the next start', async (t) => {
  const { directory, store } = await stores.copied();
  const { store: other } = await stores.copied();
  await mkdir(join(directory, 'repairing'));
  await rename(other, join(directory, 'repairing/store'));
  await writeFile(join(directory, 'repairing/done'), '');
  await rename(store, join(directory, 'store-damaged-x'));
  const storage = await openStorage(directory);
  t.same(await counts(storage), stores.truth);
  await storage.close();
  await t.rejects(repairStore({ directory: join(root, 'none'), logger: silentLogger }), {
    message: /no storage/,
  });
});
