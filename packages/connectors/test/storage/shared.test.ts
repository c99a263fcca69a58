import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createEngine, type Engine, isCulpritError } from '@culprit/core';
import { personErasure } from '@culprit/core/internal/store/erase/walk';
import { openStore } from '@culprit/core/internal/store/open-store';
import { sealBlocks } from '@culprit/core/internal/store/search/index-runs';
import { everything } from '@culprit/core/internal/store/transfer/transfer';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import { keyValueContract, manualClock } from '@culprit/core/testing';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { isFull, randomBetween } from '../../../../bench/faults/lib/random.mjs';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { runStoreCases } from '../../../core/test/support/run-store-cases/run-store-cases.js';
import type { StorageSubject } from '../../../core/test/support/run-store-cases/storage-subject.js';
import { valuesCases } from '../../../core/test/support/run-store-cases/values-cases.js';
import { searchAgrees } from '../../../core/test/support/search-agrees.js';
import { openCache } from '../../src/shared/open-cache.js';
import { storage } from '../../src/storage/index.js';
import { sharedCache } from '../../src/storage/redis/open-redis.js';
import { redisKeyValue } from '../../src/storage/redis/redis-key-value.js';
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
  const parts = await storage({ url, feedEntries }).setup({ fetch, logger, signal });
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

  await t.test('fulfils the contract', async (t) => {
    for (const law of keyValueContract) {
      await t.test(law.name, () =>
        law.run(async () => {
          const options = { url: fresh(), logger, eventIdMs: 60_000 };
          const store = await redisKeyValue(options);
          return { store, reopen: () => redisKeyValue(options), close: () => store.close() };
        }),
      );
    }
    for (const law of [...runStoreCases, ...valuesCases]) {
      await t.test(law.name, () => law.run(() => openAt(fresh())));
    }
  });
  await t.test('property: the index finds what comparing every run finds', async (t) => {
    const opened = await sharedAt(fresh());
    const seal = () => sealBlocks(opened.writer);
    await searchAgrees(t, { ...opened, seal }, (below) => randomBetween(0, below));
    await opened.close();
  });
  await t.test('caches', (t) => caches(t, fresh));
  await t.test('several processes', (t) => severalProcesses(t, fresh));
  await t.test('a snooze that is over ends once', (t) => snoozeOfEngines(t, fresh));
  await t.test('merges of several processes lose no crash', (t) => mergesOfEngines(t, fresh));
  await t.test('quotas of several processes', (t) => quotasOfProcesses(t, fresh));
  await t.test('outages', (t) => outages(t, redis, fresh));
  await t.test('requirements on Redis', (t) => serverFacts(t));
  await t.test('a cluster is refused at start', (t) => cluster(t));
  await t.test('sentinels are refused at start', (t) => sentinel(t));
  await t.test('commands of Redis 6.2', (t) => commandsUsed(t, redis));
});

/** Longer than the interval in which an engine looks for snoozes that are over. */
const LOOK_MS = 20_000;

async function snoozeOfEngines(t: Test, fresh: () => string): Promise<void> {
  const url = fresh();
  const clock = manualClock(new Date().toISOString());
  const engines = await Promise.all(
    [1, 2, 3].map(() => createEngine({ connectors: [storage({ url })], clock })),
  );
  t.teardown(() => Promise.all(engines.map((engine) => engine.close())));
  const [first, second] = engines as [Engine, Engine, Engine];
  const runs: string[] = [];
  for (let n = 0; n < 5; n++) {
    const crash = { event_id: `snoozed-${n}`, message: 'boom', fingerprint: [`own-${n}`] };
    const { run_id } = await second.ingest({ crash });
    runs.push(run_id ?? '');
    const at = new Date(clock.now() + 60_000).toISOString();
    await first.snooze(run_id ?? '', { name: 'alex', via: 'api' }, { until: { kind: 'time', at } });
  }
  const awake = async () => (await second.runs({ states: ['staged_raw'], limit: 9 })).runs.length;
  t.equal(await awake(), 0);
  while ((await awake()) < runs.length) {
    await clock.advance(LOOK_MS);
    await new Promise(setImmediate);
  }
  for (const runId of runs) {
    const names = (await first.history(runId)).map(({ name }) => name);
    t.same(names, ['staged', 'gate1.snooze', 'gate1.wake']);
  }
}

async function mergesOfEngines(t: Test, fresh: () => string): Promise<void> {
  const url = fresh();
  const engines = await Promise.all([1, 2, 3].map(() => createEngine({ connectors: [storage({ url })] })));
  t.teardown(() => Promise.all(engines.map((engine) => engine.close())));
  const [first, second] = engines as [Engine, Engine, Engine];
  const alex = { name: 'alex', via: 'api' } as const;
  let sent = 0;
  const send = async (engine: Engine, kind: string) => {
    const crash = {
      event_id: `crash-${++sent}`,
      message: 'boom',
      fingerprint: [kind],
      user: { id: `${sent % 5}` },
    };
    return (await engine.ingest({ crash })).run_id ?? '';
  };
  const [a, b] = [await send(first, 'a'), await send(second, 'b')];
  const during = (work: (engine: Engine) => Promise<unknown>) =>
    Promise.all([
      ...engines.flatMap((engine) => ['a', 'b', 'a', 'b'].map((kind) => send(engine, kind))),
      Promise.allSettled(engines.map(work)),
    ]);
  for (let round = 0; round < 3; round++) {
    await during((engine) => engine.merge(a, alex, { into: b }));
    t.match(await first.run(a), { state: 'merged', merged_into: b });
    t.equal((await second.run(b)).occurrences, sent, 'the other run counts the crashes of both');
    await during((engine) => engine.split(a, alex));
    const [one, other] = [await second.run(a), await first.run(b)];
    t.same([one.state, one.occurrences + other.occurrences], ['staged_raw', sent]);
  }
  const names = (await first.history(a)).map(({ name }) => name);
  t.same(names, ['staged', ...Array(3).fill(['gate1.merge', 'gate1.split']).flat()], 'one engine each time');
}

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
  t.equal((await b.runStore.get(run_id))?.run.occurrences, 1, 'another process reads a write immediately');

  const work = all.flatMap(({ runStore }, process) =>
    Array.from({ length: 40 }, (_, n) => runStore.record(embedded('hot', `${process}:${n}`))),
  );
  const now = '2026-01-05T09:30:00.000Z';
  const change = { run_id, version: 1, patch: { state: 'analyzing' as const }, now, history: [] };
  const rivals = Array.from({ length: 99 }, (_, n) => (all[n % 3] as Opened).runStore.change(change));
  const settled = await Promise.allSettled(rivals);
  await Promise.all(work);
  t.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1, 'one of 99 changes succeeded');
  const record = await c.runStore.get(run_id);
  t.same([record?.run.occurrences, record?.run.version, record?.run.state], [121, 2, 'analyzing']);

  const head = await c.statusFeed.head();
  t.equal(head.sequence, 122, 'every change has a number from the store');
  await Promise.all(all.map(({ statusFeed }) => statusFeed.head()));
  const expected = Array.from({ length: 122 }, (_, n) => n + 1);
  while (heard.some(({ length }) => length < expected.length)) await new Promise(setImmediate);
  for (const numbers of heard)
    t.same(numbers, expected, 'every process received every change once, in order');

  const repeated = makeBatch([makeItem(1, 'x'), makeItem(2, 'y')]);
  const answers = await Promise.all(all.map(({ runStore }) => runStore.record(repeated)));
  t.same(
    answers[1]?.outcomes,
    answers[0]?.outcomes,
    'the same batch at three processes at once is recorded once',
  );
  t.same(answers[2]?.outcomes, answers[0]?.outcomes);
  t.equal(answers.filter(({ changed }) => changed !== undefined).length, 1, 'one of them created the runs');

  const many = Array.from({ length: isFull ? 24 : 6 }, (_, batch) => {
    const items = Array.from({ length: 500 }, (_, n) =>
      makeItem(n + 1, `many${n}`, { event_id: `${batch}:${n}` }),
    );
    return a.runStore.record(makeBatch(items, { edge: `edge-${batch}` }));
  });
  const counts = (await Promise.all(many)).map(({ outcomes }) => outcomes.length);
  t.same(new Set(counts), new Set([500]), 'simultaneous batches of a fleet of edges are all counted');

  const kept = await Promise.all(
    all.map(({ values }, n) => values.change('key', (before) => before ?? `of ${n}`)),
  );
  t.equal(new Set(kept).size, 1, 'all use the value that the first one set');
  t.equal(await a.values.get('key'), kept[0]);
  const more = (before: string | undefined) => `${before ?? ''}x`;
  await Promise.all(
    Array.from({ length: 20 }, () => all.map(({ values }) => values.change('x', more))).flat(),
  );
  t.equal((await a.values.get('x'))?.length, 20 * all.length, 'no process’s change is lost');
  for (const one of all) await one.close();
}

async function quotasOfProcesses(t: Test, fresh: () => string): Promise<void> {
  const url = fresh();
  const all = await Promise.all([openAt(url), openAt(url), openAt(url)]);
  const many = { new_runs: 1_000, open_runs: 1_000, bytes: 1e9 };
  const quotas = { key: { ...many, new_runs: 70 }, door: many, project: many };
  const send = ({ runStore }: Opened, seed: string, event_id: string) => {
    const items = [makeItem(0, seed, { event_id }, { key: 'k' })];
    return runStore.record(makeBatch(items, { edge: 'embedded', policy: { quietAfterRejectMs: 0, quotas } }));
  };
  const results = await Promise.all(
    all.flatMap((one, process) =>
      Array.from({ length: 40 }, (_, n) => send(one, `flood${process}:${n}`, `${process}:${n}`)),
    ),
  );
  const outcomes = results.flatMap((result) => result.outcomes.map(({ outcome }) => outcome));
  t.equal(outcomes.filter((outcome) => outcome === 'accepted').length, 70, 'together they store no more');
  for (const one of all) await one.close();
  const again = await openAt(url);
  const key = (await again.runUsage.usage()).find(({ scope }) => scope === 'key');
  t.match(
    key?.counts,
    { new_runs: 70, open_runs: 70, refused: 50, bytes: 70 * 16_384 },
    'after a restart, too',
  );
  await again.close();
}

/** What one process caches another one finds; an erasure empties it; during an outage nothing is found. */
async function caches(t: Test, fresh: () => string): Promise<void> {
  const url = fresh();
  const [one, other] = [await sharedAt(url), await sharedAt(url)];
  const options = { namespace: 'try', ttlMs: 60_000, entries: 1 };
  const cacheOf = ({ cache }: typeof one) => openCache<string>({ cache: () => cache, logger }, options);
  const [mine, theirs] = [cacheOf(one), cacheOf(other)];
  for (const key of ['a', 'b']) await mine.set(key, `Kim ${key}`);
  t.same([await theirs.get('a'), await theirs.get('b')], ['Kim a', 'Kim b'], 'beyond the entries in memory');
  const [key = ''] = await one.redis.client.keys('culprit:c::*');
  t.ok((await one.redis.client.pTTL(key)) > 0, 'an entry expires');
  await mine.set('long', 'x'.repeat(600_000));
  t.equal(await theirs.get('long'), undefined, 'what is too long is not shared');
  await one.values.set('k', 'v');
  for await (const kept of everything(one.reads)) t.notMatch(JSON.stringify(kept), /Kim/);
  const { signal } = new AbortController();
  const order = { person: 'kim@example.com', erasure_id: 'era_1', by: null, signal };
  const erasing = personErasure({ ...one, compact: async () => {} });
  for await (const _ of erasing.walk({ ...order, dryRun: true }));
  t.equal(await theirs.get('a'), 'Kim a');
  for await (const _ of erasing.walk({ ...order, dryRun: false }));
  t.same([await theirs.get('a'), await one.values.get('k')], [undefined, 'v']);
  for (const store of [one, other]) await store.close();
  t.equal(await mine.get('a'), undefined, 'closed');
  t.equal(await mine.set('a', 'b'), undefined);
}

async function sharedAt(url: string) {
  const store = await redisKeyValue({ url, logger, eventIdMs: 60_000 });
  const opened = await openStore(store, { logger, feedEntries: FEED });
  return { ...opened, cache: await sharedCache(store.redis), redis: store.redis };
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
  t.equal((await runStore.get(first.outcomes[0]?.run_id ?? ''))?.run.occurrences, 1, 'reads continue');
  await redis.command('CONFIG', 'SET', 'maxmemory', '0');

  await redis.kill();
  await rejects(t, runStore.record(makeBatch([makeItem(2, 'a')])), 'storage_unavailable', /./);
  await rejects(t, runStore.page({ limit: 1 }), 'storage_unavailable', /is unreachable/);
  await rejects(t, values.get('k'), 'storage_unavailable', /./);
  await rejects(t, values.set('k', 'v'), 'storage_unavailable', /./);
  await rejects(t, openAt(fresh()), 'storage_unavailable', /STORAGE_URL/);
  await redis.start();
  const recorded = await afterwards(() => runStore.record(makeBatch([makeItem(2, 'a')])));
  t.equal(recorded.watermark, 2);
  const head = await statusFeed.head();
  t.equal(resets, 1, 'a restarted Redis may have lost writes, so the epoch changes');
  t.not(head.epoch, epoch);
  t.equal(await statusFeed.since({ epoch, sequence: 1 }, 10), null);
  t.equal(head.sequence, 2);
  await storage.close();
  await rejects(t, runStore.get('run_x'), 'closed', /closed/);
}

/** Retries until storage is available, and returns the result. */
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
  t.match(warnings.join('; '), /appendonly is off.*loses/, 'the log states the consequence');
  const [line] = await storage.check(new AbortController().signal);
  t.match(line?.detail, /Shared in (?:Redis|Valkey) \d.*appendonly/);

  // A failover that loses the last writes: the new primary has only what was saved.
  await storage.runStore.record(makeBatch([makeItem(1, 'a')]));
  await redis.command('SAVE');
  const lost = makeBatch([makeItem(2, 'a'), makeItem(3, 'b')]);
  t.equal((await storage.runStore.record(lost)).watermark, 3);
  await redis.kill();
  await redis.start();
  const ahead = makeBatch([makeItem(4, 'c')], { after: 3 });
  const answer = await afterwards(() => storage.runStore.record(ahead));
  t.same(answer, { outcomes: [], watermark: 1 }, 'the edge receives the lower watermark');
  const again = makeBatch([makeItem(2, 'a'), makeItem(3, 'b'), makeItem(4, 'c')], { after: 1 });
  t.equal((await storage.runStore.record(again)).watermark, 4);
  await storage.close();
}

async function sentinel(t: Test): Promise<void> {
  const redis = await startRedis('--sentinel');
  t.teardown(() => redis.close());
  for (const url of [
    redis.url(),
    redis.url(3),
    'redis-sentinel://127.0.0.1:26379/mymaster',
    'redis+sentinel://127.0.0.1:26379/mymaster/0',
    'redis://127.0.0.1:26379,127.0.0.2:26379/0',
  ])
    await rejects(
      t,
      openAt(url),
      'configuration',
      /Redis Sentinel is not supported.*Set STORAGE_URL to the primary itself/,
    );
}

async function cluster(t: Test): Promise<void> {
  const bus = await reservePort();
  const redis = await startRedis('--cluster-enabled', 'yes', '--cluster-port', String(bus));
  t.teardown(() => redis.close());
  for (const url of [redis.url(), redis.url().replace(/\/0$/, ''), redis.url(3)])
    await rejects(t, openAt(url), 'configuration', /is a cluster.*STORAGE_URL to a single primary/);
}

/** The commands used in all tests above, scripts included, as counted by Redis. */
async function commandsUsed(t: Test, redis: RedisServer): Promise<void> {
  const stats = String(await redis.command('INFO', 'commandstats'));
  const used = [...stats.matchAll(/^cmdstat_([\w|-]+):/gm)].map(([, name = '']) => name);
  // Used only by the tests, or by the library, which ignores the answer of a server that does not know it.
  const ours = used.filter((name) => !/^(?:config|command|save|flush|shutdown|client\|setinfo)/.test(name));
  t.ok(ours.includes('evalsha') && ours.includes('zrangebylex') && ours.length > 10, ours.join(' '));
  for (const name of ours) {
    const [, facts] = (await redis.command('COMMAND', 'DOCS', name)) as [string, readonly unknown[]];
    const since = String(facts[facts.indexOf('since') + 1]);
    const [major = 99, minor = 99] = since.split('.').map(Number);
    t.ok(major < 6 || (major === 6 && minor <= 2), `${name} exists since Redis ${since}`);
  }
}

const openssl = spawnSync('openssl', ['version']).status === 0;
t.test(
  'rediss: TLS with a private authority, and refused without it',
  { skip: skip || (openssl ? false : 'needs openssl') },
  async (t) => {
    const directory = temporaryFolder(t, 'tls');
    const [key, cert] = [`${directory}/key.pem`, `${directory}/cert.pem`];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ];
    const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...made, ...named, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const port = await reservePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    const redis = await startRedis(
      '--tls-port',
      String(port),
      ...files,
      '--tls-auth-clients',
      'no',
      '--requirepass',
      '',
    );
    t.teardown(() => redis.close());
    await redis.command(
      'ACL',
      'SETUSER',
      'culprit',
      'on',
      '>pass word',
      '~culprit:*',
      '&culprit:*',
      ...RIGHTS,
    );
    const storage = (url: string, env: NodeJS.ProcessEnv) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', USE_STORAGE, url], {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        env: { PATH: process.env.PATH, ...env },
        encoding: 'utf8',
      });
    const url = `rediss://culprit:pass%20word@localhost:${port}/0`;
    t.match(storage(url, { NODE_EXTRA_CA_CERTS: cert }), { status: 0, stdout: /^accepted 1 heard/ });
    t.match(storage(url, {}), { status: 1, stderr: /storage_unavailable.*self-signed certificate/s });
    t.match(storage(url.replace('pass%20', ''), { NODE_EXTRA_CA_CERTS: cert }), {
      status: 1,
      stderr: /password in STORAGE_URL is wrong/,
    });
  },
);

/** The minimum permissions of a Redis user. */
const RIGHTS = [
  '+@read',
  '+@write',
  '+@scripting',
  '+@pubsub',
  '+@connection',
  '+info',
  '-@dangerous',
  '+info',
];
const USE_STORAGE = `
import { storage } from '@culprit/connectors/storage';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const { signal } = new AbortController();
try {
  const opened = await storage({ url: process.argv[1] }).setup({ fetch, logger, signal });
  let heard = 0;
  opened.statusFeed.watch(() => heard++);
  const { outcomes } = await opened.runStore.record(makeBatch([makeItem(1)]));
  await opened.values.set('k', 'v', 60_000);
  if ((await opened.values.get('k')) !== 'v') throw new Error('no value');
  await opened.statusFeed.head();
  await opened.check(signal);
  while (heard === 0) await new Promise(setImmediate);
  console.log(outcomes[0].outcome, heard, 'heard');
  await opened.close();
} catch (error) {
  console.error(error.code, error.message);
  process.exitCode = 1;
}
`;
