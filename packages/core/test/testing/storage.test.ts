import t from 'tap';
import * as v from 'valibot';
import { holdsPeople, isSecretValue } from '../../src/domain/stored-values.js';
import { stored, storedList } from '../../src/runs/stored.js';
import { memoryKeyValue } from '../../src/store/memory-key-value.js';
import { keyValueContract, manualClock, memoryStorageConnector } from '../../src/testing/index.js';
import { memoryStorage } from '../../src/testing/memory-storage.js';
import { sequentialIds } from '../../src/testing/sequential-ids.js';
import { runStoreCases } from '../support/run-store-cases/run-store-cases.js';
import { valuesCases } from '../support/run-store-cases/values-cases.js';

t.test('memory storage fulfils the contract', async (t) => {
  const make = async () => ({ ...memoryStorage({ feedEntries: 50 }), feedEntries: 50 });
  for (const law of [...runStoreCases, ...valuesCases]) {
    await t.test(law.name, () => law.run(make));
  }
});

t.test('a store in memory fulfils the contract', async (t) => {
  for (const law of keyValueContract) {
    await t.test(law.name, () => law.run(async () => ({ store: memoryKeyValue() })));
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

t.test('a stored value is read by its schema, and kept for its time', async (t) => {
  const { values } = memoryStorage();
  const place = stored<{ at: number } | null>(values, 'follow-ups', {
    ...{ schema: v.object({ at: v.number() }), none: null },
  });
  t.equal(await place.get(), null);
  t.equal(await place.change(() => null), null);
  t.equal(await values.get('follow-ups'), undefined, 'nothing is written');
  t.same(await place.change((before) => ({ at: (before?.at ?? 0) + 1 })), { at: 1 });
  await values.set('follow-ups', '{"at":"later"}');
  t.equal(await place.get(), null, 'what the schema refuses counts as absent');
  await place.set({ at: 2 });
  t.same(await place.get(), { at: 2 });
  await place.delete();
  t.equal(await place.get(), null);
  await stored(values, 'follow-ups', { none: 0, ttlMs: 0 }).change(() => 1);
  t.equal(await values.get('follow-ups'), undefined, 'a change begins the time anew');
});

t.test('a stored list drops its oldest entries, or refuses more', async (t) => {
  const { values } = memoryStorage();
  const list = storedList(values, 'edges', { schema: v.string(), newest: 'last', most: 2 });
  for (const name of ['a', 'b', 'c']) await list.add(name);
  t.same(await list.get(), ['b', 'c']);
  await list.add('B', (one) => one === 'b');
  t.same(await list.get(), ['c', 'B'], 'in place of the same');
  t.same(await list.remove((one) => one === 'x'), []);
  t.same(await list.remove((one) => one === 'c'), ['c']);
  t.same(await list.get(), ['B']);

  const newest = storedList<string>(values, 'edges', { newest: 'first', most: 2 });
  for (const name of ['d', 'e']) await newest.add(name);
  t.same(await newest.get(), ['e', 'd']);
  t.same(await newest.change((all) => ['f', ...all]), ['f', 'e']);

  const full = () => new RangeError('full');
  const refusing = storedList<string>(values, 'edges', { newest: 'last', most: 2, full });
  await t.rejects(refusing.add('g'), { message: 'full' });
  await refusing.add('E', (one) => one === 'e');
  t.same(await refusing.get(), ['f', 'E']);
  const current = (one: string) => one !== 'f';
  t.same(await storedList(values, 'edges', { newest: 'last', current }).get(), ['E']);
  await values.set('edges', '[1]');
  t.same(await list.get(), [], 'what the schema refuses counts as empty');
});

t.test('each kind of stored value says where it holds people', async (t) => {
  t.same(['views:x', 'session:x', 'answer:of:x', 'release:web/1', 'tokens:all'].map(holdsPeople), [
    ...['text', 'owner', 'sealed', 'key', 'text'],
  ]);
  t.same(['sessions', 'unheard-of:x', 'constructor'].map(holdsPeople), [null, null, null]);
  t.same(['session:x', 'erasures', 'install-key', 'webhook-secret:x', 'answer:x'].map(isSecretValue), [
    ...[true, true, true, true, true],
  ]);
  t.notOk(['sessions', 'tokens:all', 'webhook:list'].some(isSecretValue));
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
