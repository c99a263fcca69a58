import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { storage } from '@culprit/connectors/storage';
import { createEngine, silentLogger } from '@culprit/core';
import { EVENT_NAMES } from '@culprit/core/internal/domain/webhook-events';
import type { Values } from '@culprit/core/internal/ports/values';
import { endlessTerm, type LeaseTimes, lead, type Term } from '@culprit/core/internal/runs/lease';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { startRedis } from '../../connectors/test/support/redis-server.js';
import { createBacklog } from '../src/webhooks/deliverer.js';
import { changed, matcherOf, type Webhook } from '../src/webhooks/subscription.js';
import { createWebhooks } from '../src/webhooks/webhooks.js';
import { coreBench } from './support/core-bench.js';
import { startCoreChild } from './support/github-bench.js';
import { webhookReceiver } from './support/webhook-receiver.js';

t.setTimeout(600_000);

const PATH = '/api/v1/webhooks';
const ALLOWED = { allowedHosts: ['127.0.0.1'] };
const ada = { name: 'ada', via: 'api' } as const;

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

async function memoryValues(t: Test): Promise<Values> {
  const engine = await createEngine({ connectors: [storage({ url: 'memory:' })], logger: silentLogger });
  t.teardown(() => engine.close());
  return engine.values;
}

/** Counts renewals, and holds them back while `held` is set. */
function watched(values: Values) {
  const seen: { claims: number; held: Promise<unknown> | null } = { claims: 0, held: null };
  const change: Values['change'] = async (...args) => {
    seen.claims += 1;
    await seen.held;
    return values.change(...args);
  };
  return { seen, values: { ...values, change } };
}

const leaseIn = (values: Values, times: LeaseTimes) => {
  return { values, times, key: 'webhook:leader', logger: silentLogger } as const;
};

t.test('the lease is renewed while a slow storage holds up the start', async (t) => {
  const values = await memoryValues(t);
  const [one, other] = [watched(values), watched(values)];
  const times = { leaseMs: 60_000, marginMs: 1_000, everyMs: 5 };
  const started: string[] = [];
  let release = () => {};
  const slow = new Promise<void>((done) => {
    release = done;
  });
  const first = lead(leaseIn(one.values, times), async () => {
    started.push('one');
    await slow;
    return { close: async () => {} };
  });
  await eventually(() => started.length === 1);
  const second = lead(leaseIn(other.values, times), async () => {
    started.push('other');
    return { close: async () => {} };
  });
  const { claims } = one.seen;
  await eventually(() => one.seen.claims > claims + 2 && other.seen.claims > 2);
  t.same(started, ['one']);
  release();
  await first.close();
  await eventually(() => started.length === 2);
  await second.close();
});

t.test('a leader whose storage hangs stops before another starts', async (t) => {
  const values = await memoryValues(t);
  const one = watched(values);
  const times = { leaseMs: 500, marginMs: 100, everyMs: 10 };
  const terms: Term[] = [];
  let ended = 0;
  let release = () => {};
  const first = lead(leaseIn(one.values, times), async (term) => {
    terms.push(term);
    return {
      close: async () => {
        ended += 1;
      },
    };
  });
  await eventually(() => terms.length > 0);
  one.seen.held = new Promise<void>((done) => {
    release = done;
  });
  let others = 0;
  const second = lead(leaseIn(values, { ...times, leaseMs: 60_000 }), async () => {
    others += 1;
    t.throws(() => terms.at(-1)?.assertHeld(), { name: 'AbortError' });
    t.ok(terms.at(-1)?.lost.aborted);
    return { close: async () => {} };
  });
  await eventually(() => others === 1);
  await eventually(() => ended === terms.length);
  release();
  await first.close();
  await second.close();
});

t.test('the only process on its storage leads, and starts again what could not start', async (t) => {
  const times = { leaseMs: 20, marginMs: 10, everyMs: 5 };
  const terms: Term[] = [];
  let ended = 0;
  const leading = lead({ values: null, key: 'webhook:leader', logger: silentLogger, times }, async (term) => {
    terms.push(term);
    if (terms.length === 1) throw new Error('the storage is away');
    return {
      close: async () => {
        ended += 1;
      },
    };
  });
  await eventually(() => terms.length === 2);
  await sleep(50);
  terms[1]?.assertHeld();
  t.same([terms.length, ended], [2, 0], 'its term does not end');
  await leading.close();
  t.equal(ended, 1);
});

t.test('a start that fails sends nothing: what waits is delivered once, by the next', async (t) => {
  let status = 503;
  const receiver = await webhookReceiver(() => ({ status }));
  t.teardown(() => receiver.close());
  const engine = await createEngine({ connectors: [storage({ url: 'memory:' })], logger: silentLogger });
  t.teardown(() => engine.close());
  const parts = { ...ALLOWED, boardUrl: 'https://culprit.example', logger: silentLogger, now: Date.now };
  const before = createWebhooks({ ...parts, engine, pausesMs: [500, 60_000] });
  const filters = { projects: [], levels: [], environments: [], enabled: true };
  await before.create({ name: 'ops', url: receiver.url, events: ['run.created'], ...filters }, 'ada');
  const delivering = await before.deliver(endlessTerm());
  await nextMillisecond();
  await engine.ingest({ crash: { event_id: 'a', message: 'boom' } });
  await receiver.until(() => receiver.received.length > 0);
  await delivering.close();
  status = 204;
  let starts = 0;
  const get: Values['get'] = async (key) => {
    if (key === 'webhook:feed' && ++starts === 1) throw new Error('the storage is away');
    return engine.values.get(key);
  };
  const after = createWebhooks({ ...parts, engine: { ...engine, values: { ...engine.values, get } } });
  const times = { leaseMs: 1_000, marginMs: 10, everyMs: 5 };
  const alone = { values: null, key: 'webhook:leader', logger: silentLogger, times } as const;
  const leading = lead(alone, (term) => after.deliver(term));
  await receiver.until(() => receiver.received.length > 1);
  await sleep(1_000);
  t.same([starts, receiver.received.length], [2, 2]);
  await leading.close();
});

const skip = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';

t.test('a core that delivers is killed: another repeats what it had not finished', { skip }, async (t) => {
  const redis = await startRedis('--appendonly', 'no');
  t.teardown(() => redis.close());
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  let killed = false;
  const receiver = await webhookReceiver(() => ({ status: 204, ...(killed ? {} : { until: held }) }));
  t.teardown(async () => {
    release();
    await receiver.close();
  });
  const env = {
    STORAGE_URL: redis.url(),
    AUDIT_KEY: 'audit-key-of-the-test-000000000000000',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  };
  const { child } = await startCoreChild({ data: temporaryFolder(t, 'webhooks-leader-'), env });
  const gone = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  // It leads before there is another core.
  await eventually(async () => ((await redis.command('KEYS', '*webhook:leader*')) as unknown[]).length > 0);
  const other = await coreBench({ webhooks: ALLOWED }, redis.url());
  t.teardown(() => other.close());
  const settings = { name: 'ops', url: receiver.url, events: ['run.created'] };
  t.equal((await other.api({ method: 'POST', path: PATH, body: settings })).status, 201);
  const first = await other.stage('before');
  const of = (run: string) => receiver.received.filter(({ json }) => json.data.run_id === run);
  await receiver.until(() => of(first).length > 0);
  child.kill('SIGKILL');
  await gone;
  killed = true;
  const unfinished = of(first).length;
  const second = await other.stage('after');
  await receiver.until(() => of(first).length > unfinished && of(second).length > 0);
  t.equal(new Set(of(first).map(({ headers }) => headers['webhook-id'])).size, 1, 'with the same id');
});

/** After the current millisecond, which may be that of an event. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await eventually(() => Date.now() > now);
}

t.test('wider filters concern what happens from then on', async (t) => {
  const receiver = await webhookReceiver();
  const bench = await coreBench({ webhooks: ALLOWED });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const settings = { name: 'ops', url: receiver.url, events: EVENT_NAMES, projects: ['other'] };
  const { json } = await bench.api({ method: 'POST', path: PATH, body: settings });
  const run = await bench.stage();
  await bench.engine.comment(run, ada, { comment: 'before' });
  await nextMillisecond();
  const body = { ...settings, projects: [] };
  const put = await bench.api({ method: 'PUT', path: `${PATH}/${json.webhook.id}`, body });
  t.equal(put.status, 200);
  t.notOk('earlier' in put.json, 'what is kept of the change is not shown');
  await nextMillisecond();
  await bench.engine.comment(run, ada, { comment: 'after' });
  await receiver.until(() => receiver.received.length > 0);
  await eventually(async () => (await bench.engine.values.get('webhook:batches')) === '[]');
  t.same(
    receiver.received.map(({ json }) => json.data.comment),
    ['after'],
  );
});

t.test('a change of filters: an event must match every filter that was set after it', async (t) => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 9, 0, second)).toISOString();
  const run = { project: 'shop', level: 'error', environments: [] };
  const base = { name: 'ops', url: 'https://a.example/', levels: [], environments: [], enabled: true };
  const made = { id: 'wh_1', created_at: at(0), created_by: 'ada', active_since: at(0), turned_off: null };
  const all = { ...base, projects: [], events: [...EVENT_NAMES] };
  const narrow = { ...all, projects: ['other'] };
  const wants = (webhook: Webhook, second: number) =>
    matcherOf([webhook]).wanting('run.created', run, at(second)).length === 1;
  const first: Webhook = { ...all, ...made, earlier: [] };
  const renamed = changed(first, { ...all, name: 'two' }, at(5));
  t.same([renamed.name, wants(renamed, 1)], ['two', true], 'another name loses nothing');
  const again = changed(changed(first, narrow, at(10)), all, at(20));
  t.same([wants(again, 15), wants(again, 21)], [false, true]);
  const fewer = changed(first, { ...all, events: ['run.created'] }, at(10));
  t.ok(wants(fewer, 5), 'what was wanted before and after');
  let many = first;
  for (let n = 1; n <= 10; n++) many = changed(many, n % 2 === 1 ? narrow : all, at(n * 2));
  t.same([wants(many, 1), wants(many, 19), wants(many, 21)], [false, false, true]);
  t.ok(many.earlier.length <= 3);
  const off = changed(first, { ...all, enabled: false }, at(30));
  t.match(changed(off, all, at(40)), { active_since: at(40), earlier: [] });
});

t.test('what waits for a deleted webhook is deleted with it', async (t) => {
  const receiver = await webhookReceiver(() => ({ status: 500 }));
  const bench = await coreBench({ webhooks: { ...ALLOWED, pausesMs: [3_600_000] } });
  t.teardown(async () => {
    await bench.close();
    await receiver.close();
  });
  const settings = { name: 'ops', url: receiver.url, events: ['run.created'] };
  const { json } = await bench.api({ method: 'POST', path: PATH, body: settings });
  const path = `${PATH}/${json.webhook.id}`;
  await bench.stage();
  await eventually(async () => (await bench.api({ path })).json.last_failure !== null);
  const batches = () => bench.engine.values.get('webhook:batches');
  const [batch] = JSON.parse((await batches()) ?? '[]');
  t.match(await bench.engine.values.get(`webhook:batch:${batch}`), '"failures":1');
  t.equal((await bench.api({ method: 'DELETE', path })).status, 204);
  await eventually(async () => (await batches()) === '[]');
  await eventually(async () => (await bench.engine.values.get(`webhook:batch:${batch}`)) === undefined);
});

t.test('what waits is bounded by bytes, each message counted once', async (t) => {
  const backlog = createBacklog(100);
  const row = (bytes: number) => ({
    message: { id: `m${bytes}`, type: 'run.created', timestamp: '', data: {} },
    targets: {},
    batch: 'b',
    bytes,
  });
  const [one, two] = [row(60), row(50)];
  t.ok(backlog.add('a', one));
  t.ok(backlog.add('b', one), 'the same message');
  t.notOk(backlog.add('a', two));
  backlog.remove('a', two);
  backlog.remove('a', one);
  t.notOk(backlog.add('a', two), 'b still waits for the first');
  backlog.remove('a', two);
  backlog.remove('b', one);
  t.ok(backlog.add('a', two));
});
