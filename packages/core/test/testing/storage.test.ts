import t from 'tap';
import {
  manualClock,
  memoryStorage,
  memoryStorageConnector,
  runStoreContract,
  sequentialIds,
  valuesContract,
} from '../../src/testing/index.js';

t.test('memory storage fulfils the contract', async (t) => {
  const make = async () => ({ ...memoryStorage({ feedEntries: 50 }), feedEntries: 50 });
  for (const law of [...runStoreContract, ...valuesContract]) {
    await t.test(law.name, () => law.run(make));
  }
});

t.test('memory storage as a connector implements all four ports', async (t) => {
  const storage = memoryStorage();
  const connector = memoryStorageConnector(storage);
  const { signal } = new AbortController();
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const parts = await connector.setup({ fetch, logger: quiet, signal });
  t.match(parts, storage);
});

t.test('the manual clock', async (t) => {
  const clock = manualClock('2026-01-05T09:00:00.000Z');
  const woken: [string, number][] = [];
  const start = clock.now();
  const note = (name: string) => () => void woken.push([name, clock.now() - start]);
  void clock.sleep(20).then(note('b'));
  void clock
    .sleep(10)
    .then(note('a'))
    .then(() => clock.sleep(5))
    .then(note('a again'));
  await clock.untilSleeping(2);
  await clock.advance(9);
  t.same(woken, []);
  await clock.advance(30);
  t.same(woken, [
    ['a', 10],
    ['a again', 15],
    ['b', 20],
  ]);
  t.equal(clock.now() - start, 39);
  const abort = new AbortController();
  const sleeper = clock.sleep(10, abort.signal);
  abort.abort(new Error('enough'));
  await t.rejects(sleeper, { message: 'enough' });
  await t.rejects(clock.sleep(10, abort.signal), { message: 'enough' });
  t.equal(clock.sleeping(), 0);
});

t.test('sequential ids', async (t) => {
  const ids = sequentialIds();
  t.equal(ids.runId(), `run_${'1'.padStart(26, '0')}`);
  t.equal(ids.runId(), `run_${'2'.padStart(26, '0')}`);
  t.match(ids.eventId(), /^[0-9a-f]{32}$/);
});
