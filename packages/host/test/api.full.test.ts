import { CulpritError, type Engine } from '@culprit/core';
import t from 'tap';
import { onceByKey } from '../src/core/idempotency.js';
import { startCore } from '../src/core/server.js';
import type { HttpRequest, HttpResponse } from '../src/http/message.js';
import { coreBench, OTHER_TOKEN, TOKEN } from './support/core-bench.js';
import { httpClient } from './support/http-client.js';

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
  for (const comment of ['one', 'two']) {
    await api({ method: 'POST', path: `/api/v1/runs/${id}/comments`, body: { comment } });
  }
  for (const [path, member, key] of [
    ['/api/v1/runs', 'runs', 'run_id'],
    [`/api/v1/runs/${id}/history`, 'entries', 'sequence'],
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
  for (const path of [`/runs/${id}/history`, '/notifications/failed', '/edges', '/quotas', '/runs']) {
    t.match((await api({ path: `/api/v1${path}?limit=0` })).json, { code: 'malformed', path: 'limit' }, path);
    t.match((await api({ path: `/api/v1${path}?cursor=nonsense` })).json, { code: 'invalid_cursor' }, path);
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
