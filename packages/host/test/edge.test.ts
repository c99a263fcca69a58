import { connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { silentLogger } from '@culprit/core';
import { sanitiseJson, standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import * as Sentry from '@sentry/node';
import t from 'tap';
import * as v from 'valibot';
import { doorRoutes, OTLP_REFUSED_PATHS } from '../src/edge/doors/door-routes.js';
import { type GuardTelemetry, guardTelemetrySchema } from '../src/edge/guards/guard-telemetry.js';
import { createGuards } from '../src/edge/guards/guards.js';
import { EDGE_LIMITS } from '../src/edge/limits.js';
import { type ProbeParts, probeRoutes } from '../src/edge/probe-routes.js';
import type { EdgeServer } from '../src/edge/server.js';
import { createTokenBuckets } from '../src/http/token-buckets.js';
import { edgePaths, SHARED_PROBES } from '../src/server/openapi-edge.js';

import {
  collectingLogger,
  EVENT,
  edge,
  envelope,
  KEY,
  post,
  scratch,
  sign,
  spooled,
  TOKEN,
  toNative,
  toSdk,
  toWebhook,
  until,
} from './support/edge-kit.js';

const MIB = 1024 * 1024;
const CRASH = { event_id: 'evt:1', message: 'boom', platform: 'node' };

async function problemOf(answer: Response) {
  const body = (await answer.json()) as { code: string };
  return [answer.status, answer.headers.get('content-type'), body.code];
}
const PROBLEM = 'application/problem+json';

t.test('webhook door', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory });
  const body = JSON.stringify({ ...CRASH, message: 'Grüße 🚲 from jane@example.com' });
  const right = await toWebhook(server, body);
  t.equal(right.status, 202);
  t.same(await right.json(), { id: 'evt:1', status: 'accepted' });
  t.equal((await toWebhook(server, body, { 'tracker-hook-signature': `sha256=${sign(body)}` })).status, 202);
  const signature = sign(body);
  const wrong: Record<string, Record<string, string>> = {
    other: { 'tracker-hook-signature': sign(body, 'other') },
    empty: { 'tracker-hook-signature': '' },
    truncated: { 'tracker-hook-signature': signature.slice(0, 63) },
    doubled: { 'tracker-hook-signature': `${signature}${signature}` },
    'two headers': { 'tracker-hook-signature': `${signature}, ${signature}` },
    'upper case': { 'tracker-hook-signature': signature.toUpperCase() },
  };
  for (const [name, headers] of Object.entries(wrong)) {
    t.same(await problemOf(await toWebhook(server, body, headers)), [401, PROBLEM, 'unauthenticated'], name);
  }
  t.equal((await post(`${server.url}/webhook/errortracker`, body)).status, 401, 'missing');
  t.equal(
    (await toWebhook(server, `${body} `, { 'tracker-hook-signature': signature })).status,
    401,
    'altered body',
  );
  t.equal(
    (await toWebhook(server, '{"a":', { 'tracker-hook-signature': 'x' })).status,
    401,
    'checked before parsing',
  );
  t.same(await problemOf(await toWebhook(server, '{"a":')), [400, PROBLEM, 'malformed']);
  t.equal((await toWebhook(server, 'x'.repeat(1024 * 1024 + 1))).status, 413);
  const zipped = gzipSync(body);
  const packed = await post(`${server.url}/webhook/errortracker`, zipped, {
    'content-encoding': 'gzip',
    'tracker-hook-signature': sign(zipped),
  });
  t.equal(packed.status, 202, 'the signature covers the bytes as sent');
  for (const path of ['/webhook/none', '/webhook/native', '/webhook/sentry', '/webhook/a/b']) {
    t.same(await problemOf(await post(`${server.url}${path}`, body)), [404, PROBLEM, 'not_found'], path);
  }
  t.same(await problemOf(await fetch(`${server.url}/webhook/errortracker`)), [
    405,
    PROBLEM,
    'method_not_allowed',
  ]);
  const kept = await spooled(directory);
  t.equal(kept.length, 3);
  t.match(kept[0], {
    event_id: 'evt:1',
    project: 'shop',
    ...{ door: 'webhook', trust: 'trusted', tracker: 'errortracker' },
    raw_sha256: /^[0-9a-f]{64}$/,
    headers: { 'content-type': 'application/json', 'tracker-hook-signature': undefined },
  });
  t.notMatch(JSON.stringify(kept), /jane@example/, 'sanitised before it is written');
  t.match(server.guard().outcomes.webhook, { accepted: 3, unauthenticated: 9, malformed: 1, too_large: 1 });
});

t.test('native door', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory });
  const right = await toNative(server, CRASH);
  t.equal(right.status, 202);
  t.same(await right.json(), { id: 'evt:1', status: 'accepted' });
  const made = await (await toNative(server, { message: 'boom' })).json();
  t.match(made, { id: /^[0-9a-f]{32}$/, status: 'accepted' }, 'a missing id is generated');
  t.equal((await toNative(server, CRASH, { 'x-service-token': 'wrong' })).status, 401);
  t.equal((await toNative(server, CRASH, { 'x-service-token': '' })).status, 401);
  t.equal((await post(`${server.url}/api/v1/telemetry/ingest`, '{}')).status, 401);
  const bad: [unknown, string][] = [
    ['', ''],
    ['[]', ''],
    ['null', ''],
    ['"x"', ''],
    [{ event_id: 'evt:1' }, 'message'],
    [{ message: 5 }, 'message'],
    [{ message: 'x', event_id: '../../etc' }, 'event_id'],
    [{ message: 'x', event_id: 7 }, 'event_id'],
    [{ message: 'x', event_id: 'y'.repeat(129) }, 'event_id'],
    [{ message: 'x', timestamp: 'yesterday' }, 'timestamp'],
    [{ exception: { values: [{ type: 'E', stacktrace: { frames: 'no' } }] } }, 'exception'],
    [`{"message":"\\ud800"`, ''],
    [Buffer.from([0xff, 0xfe, 0x7b]).toString('latin1'), ''],
  ];
  for (const [crash, path] of bad) {
    const answer = await toNative(server, crash);
    const problem = (await answer.json()) as { code: string; path: string };
    t.match([answer.status, problem.code], [400, 'malformed'], JSON.stringify(crash).slice(0, 80));
    if (path !== '') t.match(problem.path, path, `names the field ${path}`);
  }
  for (const [encode, name] of [
    [gzipSync, 'gzip'],
    [deflateSync, 'deflate'],
    [deflateRawSync, 'deflate'],
  ] as const) {
    const encoded = encode(JSON.stringify(CRASH));
    const headers = { 'x-service-token': TOKEN, 'content-encoding': name };
    t.equal((await post(`${server.url}/api/v1/telemetry/ingest`, encoded, headers)).status, 202, encode.name);
  }
  const broken = await toNative(server, 'not gzip', { 'content-encoding': 'gzip' });
  t.same(await problemOf(broken), [400, PROBLEM, 'malformed']);
  for (const encoding of ['br', 'compress', 'gzip, gzip']) {
    const answer = await toNative(server, CRASH, { 'content-encoding': encoding });
    t.same(await problemOf(answer), [415, PROBLEM, 'unsupported_encoding'], encoding);
  }
  const bomb = gzipSync(Buffer.alloc(1024 * 1024 + 1, ' '));
  const bombed = await post(`${server.url}/api/v1/telemetry/ingest`, bomb, {
    'x-service-token': TOKEN,
    'content-encoding': 'gzip',
  });
  t.same(await problemOf(bombed), [413, PROBLEM, 'too_large'], 'too large after decoding');
  t.equal((await toNative(server, 'x'.repeat(1024 * 1024 + 1))).status, 413);
  const kept = await spooled(directory);
  t.same(
    kept.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
    'numbered without gaps',
  );
  t.match(kept[0]?.headers, { 'x-service-token': undefined });
  const { outcomes, limits } = server.guard();
  t.match(outcomes.native, {
    accepted: 5,
    malformed: 14,
    unauthenticated: 3,
    too_large: 2,
    unsupported_encoding: 3,
  });
  t.match(
    limits.find(({ name, door }) => name === 'body_decoded' && door === 'native'),
    { refused: 1 },
  );
});

t.test('SDK door', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, {
    spoolDirectory: directory,
    limits: { sdkBodyBytes: 2 * MIB, sdkDecodedBytes: 2 * MIB },
  });
  const event = { event_id: EVENT, message: 'boom' };
  const right = await toSdk(server, envelope(event));
  t.equal(right.status, 200, 'exactly 200');
  t.equal(await right.text(), `{"id":"${EVENT}"}`);
  t.equal(right.headers.get('access-control-allow-origin'), '*');
  const auth = `Sentry sentry_version=7, sentry_client=x/1, sentry_key=${KEY}`;
  const ways: [string, string, Record<string, string>][] = [
    [`/api/1/envelope`, envelope(event), { 'x-sentry-auth': auth }],
    [`/api/shop/envelope/`, envelope(event), { authorization: auth }],
    ['/api/1/envelope/', envelope(event, { event_id: EVENT, dsn: `http://${KEY}@127.0.0.1/1` }), {}],
    ['/api/1/store/', JSON.stringify(event), { 'x-sentry-auth': auth }],
    ['/api/1/store', JSON.stringify(event), { 'x-sentry-auth': auth }],
    [`/api/store/?sentry_key=${KEY}`, JSON.stringify(event), {}],
    [`/api/1/envelope/?sentry_key=${KEY}`, envelope(event), { 'content-encoding': 'utf-8' }],
  ];
  for (const [path, body, headers] of ways) {
    const answer = await post(`${server.url}${path}`, body, headers);
    t.same([answer.status, await answer.json()], [200, { id: EVENT }], path);
  }
  const zipped = gzipSync(envelope(event, { dsn: `http://${KEY}@127.0.0.1/1` }));
  const inside = await post(`${server.url}/api/1/envelope/`, zipped, { 'content-encoding': 'gzip' });
  t.same(
    [inside.status, await inside.json()],
    [200, { id: EVENT }],
    'a credential inside a compressed envelope',
  );
  const proxied = { 'content-encoding': 'gzip', authorization: 'Basic cHJveHk6cHc=' };
  const behind = await post(`${server.url}/api/1/envelope/?sentry_key=`, zipped, proxied);
  t.equal(behind.status, 200, 'credentials for a proxy are ignored');
  const session = await toSdk(server, '{}\n{"type":"session"}\n{"sid":"1"}\n');
  t.same([session.status, await session.text()], [200, '{}'], 'no crash in it, so no id');
  t.match(await (await toSdk(server, '{}\n{"type":"event"}\n{"message":"x"}')).json(), {
    id: /^[0-9a-f]{32}$/,
  });

  const start = `${envelope(event)}{"type":"attachment"}\n`;
  const bomb = Buffer.concat([Buffer.from(start), Buffer.alloc(2 * MIB)]);
  const refusals: [string, Response, number][] = [
    ['no credential', await post(`${server.url}/api/1/envelope/`, envelope(event)), 401],
    ['unknown key', await toSdk(server, envelope(event), `sentry_key=${'b'.repeat(32)}`), 401],
    [
      'other project',
      await post(`${server.url}/api/other/envelope/?sentry_key=${KEY}`, envelope(event)),
      403,
    ],
    ['malformed', await toSdk(server, '{}\n{"type":"event","length":99}\n{}'), 400],
    ['empty', await toSdk(server, ''), 400],
    [
      'unsupported encoding',
      await toSdk(server, envelope(event), undefined, { 'content-encoding': 'br' }),
      415,
    ],
    ['event too large', await toSdk(server, envelope({ message: 'x'.repeat(1024 * 1024) })), 413],
    ['body too large', await toSdk(server, Buffer.alloc(2 * MIB + 1, ' ')), 413],
    ['bomb', await toSdk(server, gzipSync(bomb), undefined, { 'content-encoding': 'gzip' }), 413],
  ];
  for (const [name, answer, status] of refusals) {
    t.equal(answer.status, status, name);
    t.match(await answer.json(), { detail: String }, `${name}: a body as SDKs expect`);
    t.equal(answer.headers.get('access-control-allow-origin'), '*', `${name}: CORS on errors`);
    t.equal(answer.headers.get('retry-after'), null, `${name}: no Retry-After`);
  }
  const preflight = await fetch(`${server.url}/api/1/envelope/`, { method: 'OPTIONS' });
  t.match(preflight.headers.get('access-control-allow-headers'), /x-sentry-auth/);
  t.equal((await spooled(directory)).length, 11);
  t.match(server.guard().outcomes.sdk, {
    accepted: 11,
    ignored: 1,
    unauthenticated: 2,
    forbidden: 1,
    malformed: 2,
    too_large: 3,
    unsupported_encoding: 1,
  });
});

/** One raw block (RFC 8878), because Node 20 has no encoder. */
function zstd(text: string): Uint8Array {
  const content = Buffer.from(text);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  const block = Buffer.from([
    1 | ((content.length << 3) & 0xff),
    (content.length >> 5) & 0xff,
    content.length >> 13,
  ]);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), size, block, content]);
}

t.test('SDK door: encodings, item kinds, attachments', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory, brotli: true });
  const event = envelope({ event_id: EVENT, message: 'boom' });
  const encoded: [string, Uint8Array][] = [
    ['gzip', gzipSync(event)],
    ['deflate', deflateSync(event)],
    ['deflate', deflateRawSync(event)],
    ['zstd', zstd(event)],
    ['br', brotliCompressSync(event)],
  ];
  for (const [encoding, body] of encoded) {
    const answer = await toSdk(server, body, undefined, { 'content-encoding': encoding, 'content-type': '' });
    t.same([answer.status, await answer.json()], [200, { id: EVENT }], encoding);
  }
  const body = Buffer.concat([
    Buffer.from(`${event}{"type":"attachment","length":4,"filename":"../logs/of anna@example.com"}\n`),
    Buffer.from([0x0a, 0x00, 0xff, 0x0a]),
    Buffer.from('\n{"type":"attachment","length":0,"filename":"empty"}\n\n{"type":"of the future"}\nx\n'),
    Buffer.from('{"type":"session"}\n{}\n{"type":"client_report"}\n'),
    Buffer.from('{"discarded_events":[{"reason":"queue_overflow","category":"error","quantity":7}]}'),
  ]);
  t.equal((await toSdk(server, body)).status, 200);
  const [last] = (await spooled(directory)).slice(-1);
  t.same(last?.attachments, [
    { name: 'of [redacted:email]', bytes: 4 },
    { name: 'empty', bytes: 0 },
  ]);
  t.match(server.guard(), {
    dropped: { unknown: 1, session: 1, client_report: 1, client_discarded: 7 },
    outcomes: { sdk: { accepted: 6 } },
  });
});

t.test('the legacy /store/ door', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory });
  const send = (body: string | Uint8Array, headers: Record<string, string> = {}, path = '/api/1/store/') =>
    post(`${server.url}${path}?sentry_key=${KEY}`, body, headers);
  const plain = JSON.stringify({ event_id: EVENT, message: 'boom' });
  const taken: [string, Response][] = [
    [
      'an envelope by its content type',
      await send(envelope({ message: 'x' }), { 'content-type': 'application/x-sentry-envelope' }),
    ],
    ['zlib in base64', await send(deflateSync(plain).toString('base64'))],
    ['zlib', await send(deflateSync(plain))],
    ['gzip', await send(gzipSync(plain), { 'content-encoding': 'gzip' })],
    [
      'Python’s words',
      await send(`{"event_id":"${EVENT}","message":"NaN","extra":{"a":NaN,"b":[-Infinity]}}`),
    ],
  ];
  for (const [name, answer] of taken) {
    t.same([answer.status, await answer.json()], [200, { id: EVENT }], name);
    t.equal(answer.headers.get('access-control-allow-origin'), '*', name);
  }
  const kept = await spooled(directory);
  t.match(kept.at(-1)?.crash, { message: 'NaN', extra: { a: null, b: [null] } });
  const nameless = await send('{"message":"x"}', {}, '/api/store/');
  t.match(await nameless.json(), { id: /^[0-9a-f]{32}$/ }, 'a missing event_id is generated');
  const query = `sentry_key=${KEY}&sentry_data=${encodeURIComponent(plain)}`;
  const pixel = await fetch(`${server.url}/api/1/store/?${query}`);
  t.same([pixel.status, pixel.headers.get('content-type')], [200, 'image/gif']);
  t.equal((await spooled(directory)).length, kept.length + 2);
  const refused: [string, Response, number][] = [
    ['empty', await send(''), 400],
    ['no object', await send('[]'), 400],
    ['cut off', await send(plain.slice(0, 20)), 400],
    ['an invalid id', await send('{"event_id":"../x","message":"x"}'), 400],
    ['too large', await send(JSON.stringify({ message: 'x'.repeat(1024 * 1024) })), 413],
    ['too large after decompression', await send(deflateSync(Buffer.alloc(2 * 1024 * 1024, ' '))), 413],
    ['no key', await post(`${server.url}/api/1/store/`, plain), 401],
    ['no GIF without an event', await fetch(`${server.url}/api/1/store/?sentry_key=${KEY}`), 400],
  ];
  for (const [name, answer, status] of refused) {
    t.equal(answer.status, status, name);
    t.match(await answer.json(), { detail: String }, name);
    t.equal(answer.headers.get('access-control-allow-origin'), '*', `${name}: CORS on errors`);
  }
  for (const path of ['/api/1/store/', '/api/1/store', '/api/store/']) {
    const preflight = await fetch(`${server.url}${path}`, { method: 'OPTIONS' });
    t.match(preflight.headers.get('access-control-allow-headers'), /x-sentry-auth/, path);
  }
  const transaction = await send(JSON.stringify({ type: 'transaction', event_id: EVENT }));
  t.equal(transaction.status, 200);
  t.match(server.guard(), { outcomes: { sdk: { accepted: 7, ignored: 1 } }, dropped: { transaction: 1 } });
});

t.test('closed doors', async (t) => {
  const server = await edge(t, { trackers: new Map() });
  t.equal((await toWebhook(server, '{}')).status, 401);
  t.equal((await toNative(server, CRASH)).status, 401);
  t.equal((await toSdk(server, envelope({ message: 'x' }))).status, 401);
});

t.test('limits per key and per address, and the responses', async (t) => {
  // One request per 1,000 s, so that no quota returns during the test, however slow the machine.
  const limits = { keyRate: 0.001, keyBurst: 2, addressRate: 0.001, addressBurst: 3 };
  const server = await edge(t, { limits, trustedProxies: ['127.0.0.1'] });
  const body = JSON.stringify(CRASH);
  for (let count = 0; count < 2; count++) {
    await toNative(server, CRASH);
    await toWebhook(server, body);
    await toSdk(server, envelope({ message: 'x' }));
  }
  const native = await toNative(server, CRASH);
  t.equal(native.status, 429);
  t.match(native.headers.get('retry-after'), /^(?:9\d\d|1000)$/);
  t.same(await problemOf(native), [429, PROBLEM, 'rate_limited']);
  const webhook = await toWebhook(server, body);
  t.same([webhook.status, webhook.headers.get('retry-after')], [503, null], 'senders retry 503, never 429');
  const sdk = await toSdk(server, envelope({ message: 'x' }));
  t.equal(sdk.status, 429);
  t.equal(sdk.headers.get('x-sentry-rate-limits'), `${sdk.headers.get('retry-after')}::key`);
  t.equal(sdk.headers.get('access-control-allow-origin'), '*');
  const from = { 'x-forwarded-for': '203.0.113.9', 'x-service-token': 'wrong' };
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push((await toNative(server, CRASH, from)).status);
  t.same(statuses, [401, 401, 401, 429], 'an address is limited before its credential is looked at');
  const guard = server.guard();
  t.match(
    guard.limits.find(({ name }) => name === 'key_burst'),
    { value: 2, refused: 3, active_keys: 3, largest: 2 },
  );
  t.match(
    guard.limits.find(({ name }) => name === 'address_burst'),
    { value: 3, refused: 1, active_keys: 1, largest: 3 },
  );
  t.match(guard.outcomes, {
    native: { accepted: 2, rate_limited: 2 },
    webhook: { rate_limited: 1 },
    sdk: { rate_limited: 1 },
  });
});

t.test('the memory of rate limits and replay protection is bounded', async (t) => {
  let now = 0;
  const buckets = createTokenBuckets({ rate: () => 1, burst: () => 2, now: () => now });
  for (let index = 0; index < 30_000; index++) buckets.take(`10.0.${index >> 8}.${index & 255}`);
  t.equal(buckets.activeKeys(), 10_000, 'the most recent addresses');
  now += 60_000;
  t.equal(buckets.activeKeys(), 0, 'none once they are idle');
  for (const [ms, times] of [
    [0, 3],
    [999, 2],
    [1, 4],
  ] as const) {
    now += ms;
    for (let time = 0; time < times; time++) buckets.take('eager');
  }
  t.equal(buckets.largestRate(), 5, 'all requests within a second count, rejected ones too');
  t.equal(buckets.largest(), 2);
  const { dropped, drop } = createGuards({ ...EDGE_LIMITS });
  drop({ session: 2 });
  drop({ session: 1 });
  t.same(dropped, { session: 3 });
});

t.test('concurrency, slow bodies and bodies that never arrive', async (t) => {
  const server = await edge(t, { limits: { requestMs: 3_000, concurrentRequests: 4 } });
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`POST /api/1/envelope/ HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{}`);
  let seen = '';
  socket.setEncoding('latin1').on('data', (chunk) => (seen += chunk));
  await until(() => concurrent(server)?.largest === 1);
  t.equal((await toNative(server, CRASH)).status, 202, 'a body that is still arriving does not block others');
  t.equal((await fetch(`${server.url}/healthz`)).status, 200);
  await until(() => seen.includes('}'));
  t.match(
    seen,
    /408 [\s\S]*access-control-allow-origin[\s\S]*"detail"/,
    'the SDK door rejects in the SDKs’ format',
  );
  const gone = connect(server.port, '127.0.0.1');
  gone.write('POST /webhook/errortracker HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{}');
  gone.end();
  await until(() => server.guard().outcomes.webhook.aborted === 1);
  t.match(server.guard().outcomes, {
    native: { accepted: 1 },
    sdk: { timed_out: 1 },
    webhook: { aborted: 1 },
  });
});
const concurrent = (server: EdgeServer) =>
  server.guard().limits.find(({ name }) => name === 'concurrent_requests');

const SPOOL_METRICS: Readonly<Record<string, string>> = {
  depth: 'spool_deliveries',
  bytes: 'spool_bytes',
  disk_bytes: 'spool_disk_bytes',
  largest_depth: 'spool_largest_deliveries',
  largest_bytes: 'spool_largest_bytes',
  last_sequence: 'spool_last_sequence',
  acknowledged: 'spool_acknowledged',
  quarantined: 'spool_quarantined',
  torn_tails: 'spool_torn_tails',
  oldest_age_ms: 'spool_oldest_seconds',
};

t.test('probes and metrics', async (t) => {
  const server = await edge(t);
  await toNative(server, CRASH);
  t.same(await (await fetch(`${server.url}/healthz`)).json(), { status: 'ok' });
  t.match(await (await fetch(`${server.url}/readyz`)).json(), { status: 'ready' });
  const guard = (await (await fetch(`${server.url}/api/v1/guard`)).json()) as GuardTelemetry;
  t.match(guard, { outcomes: { native: { accepted: 1 } }, spool: { depth: 1 }, dead_letters: 0 });
  t.ok(Number(guard.spool.oldest_age_ms) >= 0 && guard.spool.oldest_age_ms !== null, 'what waits has an age');
  t.same(v.parse(guardTelemetrySchema, guard), guard, 'the schema describes all of it');
  const names = new Set(guard.limits.map(({ name }) => name));
  for (const name of [
    'body_sent',
    'body_decoded',
    'key_rate',
    'address_rate',
    'concurrent_requests',
    'spool_bytes',
  ])
    t.ok(names.has(name), name);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  t.match(metrics, 'culprit_edge_deliveries_total{door="native",outcome="accepted"} 1\n');
  t.match(metrics, /^culprit_edge_spool_deliveries 1$/m);
  for (const { name, door, ...figures } of guard.limits) {
    const labels = `{limit="${name}"${door === null ? '' : `,door="${door}"`}}`;
    t.ok(metrics.includes(`culprit_edge_limit${labels} ${figures.value}\n`), labels);
    for (const figure of ['configured', 'allowed', 'refused', 'active_keys', 'largest'] as const) {
      const total = figure === 'allowed' || figure === 'refused' ? '_total' : '';
      const there = metrics.includes(`culprit_edge_limit_${figure}${total}${labels} `);
      t.equal(there, figures[figure] !== null, `${figure} of ${labels}`);
    }
  }
  const spool = Object.entries(guard.spool).filter(([, value]) => typeof value === 'number');
  for (const [figure] of spool)
    t.match(metrics, new RegExp(`^culprit_edge_${SPOOL_METRICS[figure]} `, 'm'), figure);
  for (const line of metrics.trimEnd().split('\n'))
    t.match(
      line,
      /^(# (HELP|TYPE) culprit_edge_\w+ .+|culprit_edge_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[\d.e+-]+)$/,
    );
  const as = (headers: Record<string, string>) => fetch(`${server.url}/api/v1/guard`, { headers });
  const strict = await edge(t, { figuresNeedToken: true });
  for (const path of ['/api/v1/guard', '/metrics']) {
    t.equal((await fetch(strict.url + path)).status, 401, 'a proxy on this machine may add no header');
    const headers = { 'x-service-token': TOKEN };
    t.equal((await fetch(strict.url + path, { headers })).status, 200);
  }
  t.equal((await as({ 'x-forwarded-for': '127.0.0.1' })).status, 401, 'forwarded: a token is needed');
  t.equal((await as({ 'x-forwarded-for': '9.9.9.9', 'x-service-token': TOKEN })).status, 200);
  t.equal((await as({ 'x-service-token': 'wrong' })).status, 401);
  t.match(await rawGet(server.port, 'evil.example'), /^HTTP\/1.1 401/, 'a foreign host name is not local');
});

t.test('the API description lists the existing routes', async (t) => {
  const parts = { guards: createGuards({ ...EDGE_LIMITS }), spool: { append: async () => {} } };
  const doors = doorRoutes({ ...parts, sanitise: sanitiseJson, logger: silentLogger }, new Map());
  const probes = probeRoutes({} as ProbeParts);
  const named = (method: string, pattern: string) =>
    `${method.toUpperCase()} ${pattern.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}`;
  const served = [...doors.routes, ...probes]
    .filter(({ method }) => method !== 'OPTIONS')
    .map(({ method, pattern }) => named(method, pattern));
  const described = Object.entries(edgePaths()).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => named(method, path)),
  );
  const aside = [
    'POST /webhook/errortracker',
    ...SHARED_PROBES.map((path) => `GET ${path}`),
    ...OTLP_REFUSED_PATHS.map((path) => `POST ${path}`),
  ];
  const set = (routes: readonly string[]) =>
    [...new Set(routes)].filter((route) => !aside.includes(route)).sort();
  t.same(set(described), set(served));
});

function rawGet(port: number, host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1').once('data', (chunk) => resolve(String(chunk)) ?? socket.destroy());
    socket.write(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });
}

t.test('a bug in a tracker is reported as a malformed body', async (t) => {
  const logger = collectingLogger();
  const buggy = {
    verify: () => ({ ok: true, project: 'p', credential: 'c' }) as const,
    parse: () => {
      throw new TypeError('bug');
    },
  };
  const server = await edge(t, { logger, trackers: new Map([['buggy', buggy]]) });
  t.equal((await post(`${server.url}/webhook/buggy`, '{}')).status, 400);
  t.ok(logger.lines.includes('a tracker’s parser failed'));
  const failing = await edge(t, {
    logger,
    sanitiser: {
      ...standardSanitiser,
      json: (value) => (value === 'x' ? sanitiseJson(value) : JSON.parse('{')),
    },
  });
  t.equal((await toNative(failing, CRASH)).status, 503, 'a failure of the edge is not a sender’s error');
});

t.test('the real @sentry/node', async (t) => {
  const directory = await scratch(t);
  const server = await edge(t, { spoolDirectory: directory });
  Sentry.init({ dsn: `http://${KEY}@127.0.0.1:${server.port}/1`, defaultIntegrations: false });
  const small = Sentry.captureException(new Error('from the real SDK'));
  const large = Sentry.captureException(new Error('large'), {
    extra: { text: 'lorem ipsum '.repeat(10_000) },
  });
  t.ok(await Sentry.flush(5_000));
  await Sentry.close(1_000);
  const kept = await spooled(directory);
  t.same(kept.map(({ event_id }) => event_id).sort(), [small, large].sort());
  t.match(kept.find(({ event_id }) => event_id === large)?.headers, { 'content-encoding': 'gzip' });
  t.match(kept[0], { door: 'sdk', trust: 'untrusted', project: 'shop', crash: { exception: {} } });
});
