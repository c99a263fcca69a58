import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, type HistoryCheck, pages, sumOfChecks } from '@culprit/client';
import { CulpritError, type Engine } from '@culprit/core';
import type { ConnectorParts } from '@culprit/core/connector';
import t, { type Test } from 'tap';
import { removeFolder, temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { type RedisServer, startRedis } from '../../connectors/test/support/redis-server.js';
import type { HttpRequest, HttpResponse } from '../src/http/message.js';
import { onceByKey } from '../src/server/idempotency.js';
import { startCore } from '../src/server/server.js';
import { AUDIT_KEY, coreBench, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { type Answer, type Ask, httpClient } from './support/http-client.js';
import { type Json, operationsOf } from './support/openapi-kit.js';
import { culprit } from './support/run-culprit.js';

t.setTimeout(600_000);

const skip = spawnSync('redis-server', ['--version']).status === 0 ? false : 'needs redis-server';

t.test('every reader has an ETag, and an unchanged answer is not sent again', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const paths = ['/runs', `/runs/${id}`, `/runs/${id}/history`, `/runs/${id}/brief`, '/views', '/quotas'];
  const tags = new Map<string, string>();
  for (const path of paths) {
    const first = await api({ path: `/api/v1${path}` });
    const etag = String(first.headers.etag);
    t.match(etag, /^"[\w-]{27}"$/, path);
    tags.set(path, etag);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api({ path: `/api/v1${path}`, headers: { 'if-none-match': known } });
      t.match(again, { status: 304, text: '', headers: { etag, 'cache-control': 'no-store' } }, known);
    }
    const other = await api({ path: `/api/v1${path}`, headers: { 'if-none-match': '"other"' } });
    t.match(other, { status: 200, text: first.text });
  }
  await api({ method: 'POST', path: `/api/v1/runs/${id}/comments`, body: { comment: 'Looking at it.' } });
  const changed = [`/runs/${id}`, `/runs/${id}/history`];
  for (const path of changed) {
    const after = await api({
      path: `/api/v1${path}`,
      headers: { 'if-none-match': tags.get(path) ?? '' },
    });
    t.equal(after.status, 200, `${path} has changed`);
    t.not(after.headers.etag, tags.get(path));
  }
  const missing = await api({ path: '/api/v1/runs/run_none', headers: { 'if-none-match': '*' } });
  t.match(missing, { status: 404, headers: { etag: undefined } }, 'a problem is always sent');
});

t.test('every list has the same pages: limit, cursor, next and Link', async (t) => {
  const { api, stage, close } = await coreBench();
  t.teardown(close);
  const ids = [await stage(), await stage(), await stage()];
  const [id = ''] = ids;
  for (const name of ['one', 'two']) {
    await api({ method: 'POST', path: `/api/v1/runs/${id}/comments`, body: { comment: name } });
    await api({ method: 'POST', path: '/api/v1/tokens', body: { name, scopes: ['read'] } });
    await api({ method: 'PUT', path: '/api/v1/views', body: { name, address: '?search=a' } });
  }
  await api({ method: 'POST', path: '/api/v1/tokens', body: { name: 'three', scopes: ['read'] } });
  for (const [path, member, key] of [
    ['/api/v1/runs', 'runs', 'run_id'],
    [`/api/v1/runs/${id}/history`, 'entries', 'sequence'],
    ['/api/v1/tokens', 'tokens', 'id'],
    ['/api/v1/views', 'views', 'name'],
  ] as const) {
    const whole = (await api({ path })).json;
    t.equal(whole.next, null);
    const seen: unknown[] = [];
    let next: string | undefined = `${path}?limit=2`;
    while (next !== undefined) {
      const page = await api({ path: next });
      t.ok(page.json[member].length <= 2);
      seen.push(...page.json[member].map((one: Readonly<Record<string, unknown>>) => one[key]));
      const [, link] = /^<([^>]+)>; rel="next"$/.exec(page.headers.link ?? '') ?? [];
      t.equal(link === undefined, page.json.next === null, 'a Link exactly with a next page');
      next = link === undefined ? undefined : new URL(link, `http://core${next}`).href.slice(11);
    }
    t.same(
      seen,
      whole[member].map((one: Readonly<Record<string, unknown>>) => one[key]),
      path,
    );
  }
  // A state may be named more than once: together these are longer than a Link may be.
  const states = `state=${Array(200).fill('staged_raw').join(',')}`;
  const long = await api({ path: `/api/v1/runs?limit=1&${states}` });
  t.match(long, { status: 200, json: { next: /./ } }, 'a very long query is answered');
  t.notOk('link' in long.headers, 'without a Link');
  t.equal((await api({ path: `/api/v1/runs?limit=1&${states}&cursor=${long.json.next}` })).status, 200);

  const { paths } = (await api({ path: '/openapi.json' })).json;
  const lists = Object.keys(paths).filter((path) =>
    /^list(?!SearchValues)/.test(paths[path].get?.operationId),
  );
  t.ok(lists.length > 10);
  const webhook = { name: 'x', url: 'https://receiver.example/', events: ['run.created'] };
  const made = (await api({ method: 'POST', path: '/api/v1/webhooks', body: webhook })).json.webhook;
  for (const list of lists) {
    const path = list.replace('{run_id}', id).replace('{webhook_id}', made.id);
    t.match((await api({ path: `${path}?limit=0` })).json, { code: 'malformed', path: 'limit' }, path);
    t.match((await api({ path: `${path}?cursor=nonsense` })).json, { code: 'invalid_cursor' }, path);
  }
});

t.test('an Idempotency-Key makes a decision once, also after a restart', async (t) => {
  const { api, core, engine, stage, close } = await coreBench();
  t.teardown(close);
  const id = await stage();
  const comment = (key: string, text: string, headers: Readonly<Record<string, string>> = {}) => ({
    method: 'POST',
    path: `/api/v1/runs/${id}/comments`,
    headers: { 'idempotency-key': key, ...headers },
    body: { comment: text },
  });
  const comments = async () => (await engine.run(id)).comments ?? 0;
  const first = await api(comment('"key-1"', 'one'));
  t.match(first, { status: 200, headers: { 'idempotency-replayed': undefined } });
  const again = await api(comment('"key-1"', 'one'));
  t.match(again, { status: 200, text: first.text, headers: { 'idempotency-replayed': 'true' } });
  t.equal((await api(comment('key-1', 'one'))).text, first.text, 'quotes may be missing');
  t.equal(await comments(), 1);
  t.match((await api(comment('"key-1"', 'two'))).json, { status: 422, code: 'idempotency_mismatch' });
  for (const wrong of ['"', '""', 'a b', `"${'k'.repeat(256)}"`]) {
    t.match((await api(comment(wrong, 'two'))).json, { code: 'malformed', path: 'Idempotency-Key' }, wrong);
  }
  const other = { authorization: `Bearer ${OTHER_TOKEN}` };
  t.equal((await api(comment('"key-1"', 'one', other))).status, 200, 'each credential has its own keys');
  t.equal(await comments(), 2);

  const late = {
    method: 'POST',
    path: `/api/v1/runs/${id}/wake`,
    headers: { 'idempotency-key': '"key-2"' },
  };
  const refused = await api(late);
  t.match(refused.json, { status: 409, code: 'state_conflict' });
  t.match(await api(late), { status: 409, text: refused.text, headers: { 'idempotency-replayed': 'true' } });

  const token = { method: 'POST', path: '/api/v1/tokens', headers: { 'idempotency-key': '"key-3"' } };
  const body = { name: 'ci', scopes: ['read'] };
  const made = await api({ ...token, body });
  t.equal(made.status, 201, made.text);
  const second = await startCore({
    host: '127.0.0.1',
    port: 0,
    engine,
    reviewers: [{ name: 'ada', token: TOKEN }],
    internalSecrets: [],
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  t.teardown(() => second.close());
  t.not(second.port, core.port);
  const restarted = httpClient(second.port, {
    host: `127.0.0.1:${second.port}`,
    authorization: `Bearer ${TOKEN}`,
  });
  t.match(await restarted({ ...token, body }), { status: 201, text: made.text }, 'from the storage');
});

t.test('a request with a key that fails, or whose process ends, can be made again', async (t) => {
  const { engine, close } = await coreBench();
  t.teardown(close);
  let time = 1_000_000;
  const once = (key: string, act: () => HttpResponse | Promise<HttpResponse>) =>
    onceByKey({ values: spy(engine, stored), request: requestOf(key), now: () => time }, act);
  const stored: string[] = [];
  const outage = () => {
    throw new CulpritError('storage_unavailable', 'Away.');
  };
  await t.rejects(once('fails', outage), { code: 'storage_unavailable' });
  t.match(await once('fails', () => ({ status: 200, body: 'now' })), { status: 200, body: 'now' });

  let end: (response: HttpResponse) => void = () => {};
  const held = once('hangs', () => new Promise((resolve) => (end = resolve)));
  const waiting = () => once('hangs', () => ({ status: 200, body: 'twice' }));
  while (stored.length === 0 || end.length === 0) await new Promise(setImmediate);
  await t.rejects(waiting(), { code: 'idempotency_in_progress', status: 409, retryAfterMs: Number });
  time += 60_000;
  t.match(await waiting(), { body: 'twice' }, 'its process has ended');
  end({ status: 200, body: 'secret-of-a-token' });
  t.match(await held, { body: 'secret-of-a-token' });
  const before = stored.length;
  void once('killed', () => new Promise(() => {}));
  while (stored.length === before) await new Promise(setImmediate);
  time -= 365 * 24 * 60 * 60_000;
  const later = await once('killed', () => ({ status: 200, body: 'later' }));
  t.match(later, { body: 'later' }, 'also after the clock was set back');
  t.ok(stored.length > 0);
  t.notMatch(stored.join(), /secret|Bearer/, 'answers are stored encrypted');
});

t.test('of each credential the newest thousand answers are kept', async (t) => {
  const kept = new Map<string, string>();
  const values: Engine['values'] = {
    get: async (key) => kept.get(key),
    delete: async (key) => void kept.delete(key),
    set: async (key, value) => void kept.set(key, value),
    async change(key, decide) {
      const next = decide(kept.get(key));
      if (next !== undefined) kept.set(key, next);
      return kept.get(key);
    },
  };
  let acts = 0;
  const send = (token: string, key: number) => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `"${key}"` };
    return onceByKey({ values, request: { ...requestOf('x'), headers }, now: () => 1 }, () => {
      acts += 1;
      return { status: 200, body: `${acts}` };
    });
  };
  await send('other', 0);
  for (let key = 0; key < 1_100; key++) await send('t', key);
  t.equal(acts, 1_101);
  t.ok(kept.size <= 2 * (1_000 + 1) + 3, `${kept.size} values`);
  await send('t', 1_099);
  await send('t', 100);
  await send('other', 0);
  t.equal(acts, 1_101, 'the newest, and those of another credential, are kept');
  await send('t', 99);
  t.equal(acts, 1_102, 'the oldest are gone');
});

/** Two cores on one Redis. `wait` sets the clock of the second one forward. */
async function twoCores(t: Test) {
  const redis = await startRedis('--appendonly', 'no');
  t.teardown(() => redis.close());
  let ahead = 0;
  const one = await coreBench({}, redis.url());
  t.teardown(one.close);
  const other = await coreBench(
    { codeIn: one.repository.directory, now: () => Date.now() + ahead },
    redis.url(),
  );
  t.teardown(other.close);
  const wait = (ms: number) => {
    ahead += ms;
  };
  return { redis, one, other, wait };
}

t.test(
  'two cores on one Redis: a key at once on both, for every route that takes it',
  { skip },
  async (t) => {
    const { one, other } = await twoCores(t);
    const operations = Object.values(operationsOf((await one.api({ path: '/openapi.json' })).json)).filter(
      ({ parameters = [] }) => parameters.some(({ name }: Json) => name === 'Idempotency-Key'),
    );
    let kept = 0;
    for (const { operationId: id, method, path: pattern, requestBody } of operations) {
      const run = pattern.includes('{run_id}') ? await one.stage() : 'none';
      const path = pattern.replaceAll(/\{\w+\}/g, run);
      const body = requestBody?.content['application/json'].example ?? {};
      const headers = { 'idempotency-key': `"${id}"`, accept: 'application/json, text/event-stream' };
      const ask = { method, path, headers: { ...headers, 'content-type': 'application/json' }, body };
      const answers = await Promise.all([one, other, one, other].map(({ api }) => api(ask)));
      const isFirst = ({ json, headers: got }: Answer) =>
        json?.code !== 'idempotency_in_progress' && got['idempotency-replayed'] === undefined;
      const first = answers.filter((one) => isFirst(one) && one.status < 500);
      // A failure that may pass is not kept, so the next one acts.
      if (first.length === 0) continue;
      kept += 1;
      t.equal(first.length, 1, `${id}: ${answers.map(({ status }) => status)}`);
      for (const { api } of [one, other]) {
        const again = await api(ask);
        t.match(again.headers, { 'idempotency-replayed': 'true' }, id);
        t.match(again, { status: first[0]?.status, text: first[0]?.text }, id);
        const changed = await api({ ...ask, body: { ...body, more: 1 } });
        t.match(changed.json, { status: 422, code: 'idempotency_mismatch' }, id);
      }
    }
    t.ok(kept > 20, `${kept} of ${operations.length} routes`);
  },
);

t.test('a key is forgotten after a day, and is free when its core was killed', { skip }, async (t) => {
  const { redis, one, other, wait } = await twoCores(t);
  const run = await one.stage();
  const ask = (key: string, act = 'comments', body: object = { comment: 'Once.' }) => ({
    method: 'POST',
    path: `/api/v1/runs/${run}/${act}`,
    headers: { 'idempotency-key': `"${key}"` },
    body,
  });
  const comments = async () => (await one.engine.run(run)).comments ?? 0;
  await one.api(ask('day'));
  t.match(await other.api(ask('day')), { headers: { 'idempotency-replayed': 'true' } });
  const keys = await storedAnswers(redis);
  t.ok(keys.length > 0);
  for (const key of keys) {
    const left = Number(await redis.command('PTTL', key));
    t.ok(left > 0 && left <= 24 * 60 * 60_000, `${key} has ${left} ms`);
    await redis.command('DEL', key);
  }
  t.match(await other.api(ask('day')), { status: 200, headers: { 'idempotency-replayed': undefined } });
  t.equal(await comments(), 2);

  await killedWhile('comment', redis.url(), ask('killed'));
  t.equal(await comments(), 3, 'the killed core had made the comment');
  t.match(await other.api(ask('killed')), { status: 409, json: { code: 'idempotency_in_progress' } });
  wait(31_000);
  t.match(await other.api(ask('killed')), { status: 200, headers: { 'idempotency-replayed': undefined } });
  t.equal(await comments(), 4, 'a comment appears twice, as documented');
  t.match(await one.api(ask('killed')), { headers: { 'idempotency-replayed': 'true' } });

  await killedWhile('rejectGateOne', redis.url(), ask('decided', 'gate1/reject', { reason: 'Known.' }));
  wait(31_000);
  const decided = await other.api(ask('decided', 'gate1/reject', { reason: 'Known.' }));
  t.match(decided, { status: 200, json: { state: 'rejected' } }, 'a decision is made once');
  const { entries } = (await one.api({ path: `/api/v1/runs/${run}/history` })).json;
  t.equal(entries.filter(({ name }: { readonly name: string }) => name === 'gate1.reject').length, 1);
});

async function storedAnswers(redis: RedisServer): Promise<readonly string[]> {
  const keys = (await redis.command('KEYS', '*')) as readonly unknown[];
  return keys.map(String).filter((key) => key.includes('answer:'));
}

/** Sends a request to a core that is killed after it has acted, before it answers. */
async function killedWhile(method: string, url: string, ask: Ask): Promise<void> {
  const program = fileURLToPath(new URL('./support/dying-core.js', import.meta.url));
  const child = spawn(process.execPath, [program, url, method], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [started] = await once(child.stdout, 'data');
  const [address, folder = ''] = String(started).trim().split(' ');
  const { port, host } = new URL(address ?? '');
  const api = httpClient(Number(port), { host, authorization: `Bearer ${TOKEN}` });
  await api(ask).then(
    () => t.fail('it answered'),
    () => {},
  );
  const [, signal] = await ended;
  t.equal(signal, 'SIGKILL');
  await removeFolder(folder);
}

function requestOf(key: string): HttpRequest {
  return {
    method: 'POST',
    path: '/x',
    params: {},
    query: {},
    headers: { authorization: 'Bearer t', 'idempotency-key': `"${key}"` },
    remoteAddress: '127.0.0.1',
    body: new Uint8Array(),
    signal: new AbortController().signal,
    receivedAt: 0,
  };
}

/** The engine's values; remembers what is stored. */
function spy({ values }: Engine, stored: string[]): Engine['values'] {
  return {
    ...values,
    get: (key) => values.get(key),
    delete: (key) => values.delete(key),
    set: (key, value, ttl) => {
      stored.push(key, value);
      return values.set(key, value, ttl);
    },
    async change(key, decide, ttl) {
      const value = await values.change(key, decide, ttl);
      stored.push(key, value ?? '');
      return value;
    },
  };
}

/** A core whose storage says of these runs that the name of an entry was another, and counts who reads histories at once. */
async function tamperedBench(t: Test) {
  const data = temporaryFolder(t, 'audited');
  const tampered = new Set<string>();
  const reading = { now: 0, largest: 0 };
  const watched = (parts: ConnectorParts): ConnectorParts => ({
    ...parts,
    runHistory: {
      async history(runId) {
        reading.largest = Math.max(reading.largest, ++reading.now);
        await new Promise(setImmediate);
        const entries = (await parts.runHistory?.history(runId)) ?? [];
        reading.now -= 1;
        return tampered.has(runId) ? entries.map((entry) => ({ ...entry, name: 'gate1.approve' })) : entries;
      },
    },
  });
  const bench = await coreBench(
    {
      change: (real) =>
        real.map((connector) =>
          connector.id === 'storage'
            ? { ...connector, setup: async (context) => watched(await connector.setup(context)) }
            : connector,
        ),
    },
    `file:${data}`,
  );
  t.teardown(bench.close);
  return { bench, data, tampered, reading };
}

async function verifyAll(client: Client): Promise<HistoryCheck> {
  let sum: HistoryCheck | null = null;
  for await (const page of pages(client.verifyHistories, { limit: 2 })) sum = sumOfChecks(sum, page);
  return sum as HistoryCheck;
}

t.test('histories are verified and exported page by page, as culprit audit does', async (t) => {
  const { bench, data, tampered, reading } = await tamperedBench(t);
  const client = createClient({ url: bench.core.url, token: TOKEN, retries: 0 });
  const ids = [await bench.stage(), await bench.stage(), await bench.stage()];
  await client.approveGateOne({ run_id: ids[0] ?? '' });
  await client.commentOnRun({ run_id: ids[1] ?? '', comment: 'Looking at it.' });
  const run = (...args: string[]) => culprit(['audit', ...args, '--data', data], { env: { AUDIT_KEY } });

  const { verified, loss, ...expected } = JSON.parse((await run('verify', '--json')).stdout);
  t.equal(loss, null, 'the storage has lost nothing');
  t.equal(verified, true);
  t.same(await verifyAll(client), expected);
  t.ok(expected.entries > 6 && expected.first_at < expected.last_at);
  const first = (await bench.api({ path: '/api/v1/audit/verification?limit=2' })).json;
  t.match(first, { runs: 2, next: /./ });
  const rest = await bench.api({ path: `/api/v1/audit/verification?limit=2&cursor=${first.next}` });
  t.match(rest.json, { runs: 1, next: null, entries: expected.entries - first.entries });
  const lines = (await run('export')).stdout.trim().split('\n').sort();
  const exported: object[] = [];
  for await (const { entries } of pages(client.exportHistories, { limit: 1 })) exported.push(...entries);
  t.same(
    exported.map((entry) => JSON.stringify(entry)).sort(),
    lines.map((line) => JSON.stringify(JSON.parse(line))),
  );
  t.match(exported[0], { run_id: ids[0], sequence: 1, seal: { mac: /^[0-9a-f]{64}$/ } });

  tampered.add(ids[1] ?? '');
  const { findings, runs } = await verifyAll(client);
  t.equal(runs, 3);
  t.match(findings[0], {
    run_id: ids[1],
    kind: 'edited',
    sequence: 1,
    detail: /changed after it was sealed/,
  });
  t.ok(findings.every(({ run_id }) => run_id === ids[1]));
  await t.rejects(client.verifyHistories({ sealed_since: 'soon' }), {
    code: 'malformed',
    path: 'sealed_since',
  });

  reading.largest = 0;
  const ask = () => bench.api({ path: '/api/v1/audit/verification' });
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  t.equal(reading.largest, 1, 'one request reads at a time');
  const refused = answers.filter(({ status }) => status !== 200);
  t.ok(refused.length > 0 && refused.length < 20);
  t.ok(refused.every(({ status, headers }) => status === 503 && headers['retry-after'] === '1'));
  t.equal((await ask()).status, 200, 'and then it works again');

  const unsealed = await coreBench();
  t.teardown(unsealed.close);
  t.match((await unsealed.api({ path: '/api/v1/audit/verification' })).json, {
    status: 404,
    detail: /Set AUDIT_KEY/,
  });
});
