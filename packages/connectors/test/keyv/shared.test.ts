import { isCulpritError } from '@culprit/core';
import {
  makeBatch,
  makeItem,
  runStoreContract,
  type StorageSubject,
  valuesContract,
} from '@culprit/core/testing';
import t, { type Test } from 'tap';
import { keyv } from '../../src/keyv/index.js';
import { type RedisServer, redisVersion, startRedis } from '../support/redis-server.js';

const warnings: string[] = [];
const logger = {
  debug() {},
  info() {},
  warn: (_: object, text: string) => void warnings.push(text),
  error() {},
};
const FEED = 300;
const skip = redisVersion() === null ? 'needs redis-server' : false;

type Opened = StorageSubject & {
  check(signal: AbortSignal): Promise<readonly { detail: string }[]>;
  close(): Promise<void>;
};
async function openAt(url: string, feedEntries = FEED): Promise<Opened> {
  const { signal } = new AbortController();
  const parts = await keyv({ url, feedEntries }).setup({ fetch, logger, signal });
  return { ...(parts as unknown as Opened), feedEntries };
}
async function rejects(
  t: Test,
  work: Promise<unknown>,
  code: Parameters<typeof isCulpritError>[1],
  words: RegExp,
): Promise<void> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  t.ok(isCulpritError(error, code), `${error}`);
  t.match((error as Error | null)?.message, words);
}

t.test('shared storage', { skip }, async (t) => {
  const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
  t.teardown(() => redis.close());
  let database = 0;
  const fresh = () => redis.url(++database);

  await t.test('obeys the contract', async (t) => {
    for (const law of [...runStoreContract, ...valuesContract]) {
      await t.test(law.name, () => law.run(() => openAt(fresh())));
    }
  });
  await t.test('several processes', (t) => severalProcesses(t, fresh));
  await t.test('outages', (t) => outages(t, redis, fresh));
  await t.test('what Redis is', (t) => serverFacts(t));
});

const embedded = (seed: string, event_id: string) =>
  makeBatch([makeItem(0, seed, { event_id })], { edge: 'embedded' });

async function severalProcesses(t: Test, fresh: () => string): Promise<void> {
  const url = fresh();
  const all = await Promise.all([openAt(url), openAt(url), openAt(url)]);
  const [a, b, c] = all as [Opened, Opened, Opened];
  const heard = all.map((one) => {
    const numbers: number[] = [];
    one.statusFeed.watch(({ sequence }) => numbers.push(sequence));
    return numbers;
  });
  const first = await a.runStore.record(embedded('hot', 'first'));
  const run_id = first.outcomes[0]?.run_id ?? '';
  t.equal((await b.runStore.get(run_id))?.run.occurrences, 1, 'what one wrote another reads at once');

  const work = all.flatMap(({ runStore }, process) =>
    Array.from({ length: 40 }, (_, n) => runStore.record(embedded('hot', `${process}:${n}`))),
  );
  const now = '2026-01-05T09:30:00.000Z';
  const change = { run_id, version: 1, patch: { state: 'analyzing' as const }, now, history: [] };
  const rivals = Array.from({ length: 99 }, (_, n) => (all[n % 3] as Opened).runStore.change(change));
  const settled = await Promise.allSettled(rivals);
  await Promise.all(work);
  t.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1, 'one of 99 changes won');
  const record = await c.runStore.get(run_id);
  t.same([record?.run.occurrences, record?.run.version, record?.run.state], [121, 2, 'analyzing']);

  const head = await c.statusFeed.head();
  t.equal(head.sequence, 122, 'every change has a number of the store');
  await Promise.all(all.map(({ statusFeed }) => statusFeed.head()));
  const expected = Array.from({ length: 122 }, (_, n) => n + 1);
  for (const numbers of heard)
    t.same(numbers, expected, 'every process heard of every change once, in order');

  const repeated = makeBatch([makeItem(1, 'x'), makeItem(2, 'y')]);
  const answers = await Promise.all(all.map(({ runStore }) => runStore.record(repeated)));
  t.same(answers[1], answers[0], 'the same batch at three processes at once is recorded once');
  t.same(answers[2], answers[0]);

  const kept = await Promise.all(
    all.map(({ values }, n) => values.change('key', (before) => before ?? `of ${n}`)),
  );
  t.equal(new Set(kept).size, 1, 'all take what the first one set');
  t.equal(await a.values.get('key'), kept[0]);
  const more = (before: string | undefined) => `${before ?? ''}x`;
  await Promise.all(
    Array.from({ length: 20 }, () => all.map(({ values }) => values.change('x', more))).flat(),
  );
  t.equal((await a.values.get('x'))?.length, 20 * all.length, 'no change of any process is lost');
  for (const one of all) await one.close();
}

async function outages(t: Test, redis: RedisServer, fresh: () => string): Promise<void> {
  const storage = await openAt(fresh());
  const { runStore, values, statusFeed } = storage;
  const heard: number[] = [];
  let resets = 0;
  statusFeed.watch(
    ({ sequence }) => heard.push(sequence),
    () => void resets++,
  );
  const first = await runStore.record(makeBatch([makeItem(1, 'a')]));
  const { epoch } = await statusFeed.head();

  await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
  await rejects(t, runStore.record(makeBatch([makeItem(2, 'a')])), 'storage_unavailable', /replicas/);
  await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
  await rejects(t, runStore.record(makeBatch([makeItem(2, 'a')])), 'storage_unavailable', /full.*maxmemory/);
  t.equal((await runStore.get(first.outcomes[0]?.run_id ?? ''))?.run.occurrences, 1, 'reads go on');
  await redis.command('CONFIG', 'SET', 'maxmemory', '0');

  await redis.kill();
  await rejects(t, runStore.record(makeBatch([makeItem(2, 'a')])), 'storage_unavailable', /./);
  await rejects(t, runStore.page({ limit: 1 }), 'storage_unavailable', /cannot be reached/);
  await rejects(t, values.get('k'), 'storage_unavailable', /./);
  await rejects(t, values.set('k', 'v'), 'storage_unavailable', /./);
  await rejects(t, openAt(fresh()), 'storage_unavailable', /STORAGE_URL/);
  await redis.start();
  const recorded = await afterwards(() => runStore.record(makeBatch([makeItem(2, 'a')])));
  t.equal(recorded.watermark, 2);
  const head = await statusFeed.head();
  t.equal(resets, 1, 'a Redis that was started anew may have lost writes: the epoch is another one');
  t.not(head.epoch, epoch);
  t.equal(await statusFeed.since({ epoch, sequence: 1 }, 10), null);
  t.equal(head.sequence, 2);
  await storage.close();
  await rejects(t, runStore.get('run_x'), 'closed', /closed/);
}

/** The answer of the first try that does not meet an outage. */
async function afterwards<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isCulpritError(error, 'storage_unavailable')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function serverFacts(t: Test): Promise<void> {
  const redis = await startRedis('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru');
  t.teardown(() => redis.close());
  await rejects(t, openAt(redis.url()), 'configuration', /allkeys-lru.*noeviction/);
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
  warnings.length = 0;
  const storage = await openAt(redis.url());
  t.match(warnings.join('; '), /appendonly is off.*loses/, 'and the log says what that means');
  const [line] = await storage.check(new AbortController().signal);
  t.match(line?.detail, /Shared in Redis \d.*appendonly/);

  // A failover that loses the last writes: what was saved before is all that the next one has.
  await storage.runStore.record(makeBatch([makeItem(1, 'a')]));
  await redis.command('SAVE');
  const lost = makeBatch([makeItem(2, 'a'), makeItem(3, 'b')]);
  t.equal((await storage.runStore.record(lost)).watermark, 3);
  await redis.kill();
  await redis.start();
  const ahead = makeBatch([makeItem(4, 'c')], { after: 3 });
  const told = await afterwards(() => storage.runStore.record(ahead));
  t.same(told, { outcomes: [], watermark: 1 }, 'the edge is told that the watermark has moved back');
  const again = makeBatch([makeItem(2, 'a'), makeItem(3, 'b'), makeItem(4, 'c')], { after: 1 });
  t.equal((await storage.runStore.record(again)).watermark, 4);
  await storage.close();
}
