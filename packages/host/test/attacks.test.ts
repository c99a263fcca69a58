import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { unpackBody } from '@culprit/connectors/sentry';
import type { Logger } from '@culprit/core';
import { type Sanitiser, standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import t from 'tap';
import { createFairWork } from '../src/edge/doors/fair-work.js';
import type { Route } from '../src/http/message.js';
import { problemResponse } from '../src/http/problem-response.js';
import { listen } from '../src/http/server.js';
import { createReviewers } from '../src/server/reviewers.js';
import { createSignInLimit } from '../src/server/sign-in-limit.js';
import { coreBench, GATEWAY, OTHER_TOKEN, TOKEN as REVIEWER } from './support/core-bench.js';
import {
  EVENT,
  edge,
  envelope,
  KEY,
  post,
  sign,
  TOKEN,
  toNative,
  toSdk,
  toWebhook,
} from './support/edge-kit.js';
import { httpClient } from './support/http-client.js';
import { DRIVERS } from './support/tested-driver.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** More than the requests that a server has in progress at once. */
const SLOW = 520;
const CRASH = { message: 'boom', stack: 'Error: boom\n    at pay (src/pay.js:3:1)' };
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

interface Teardown {
  teardown(act: () => unknown): unknown;
}

/** Opens sockets, each with the same bytes, and resolves once all are sent. */
async function held(t: Teardown, port: number, count: number, text: string | Buffer): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.teardown(() => socket.destroy());
    return socket;
  });
  await Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.write(text, () => done()))));
  return sockets;
}

const unfinished = (path: string, body = '{', headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Content-Length: 900\r\n\r\n${body}`;

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5));
}

t.test('slow sign-ins hold up neither gates nor the edge nor other sign-ins', async (t) => {
  const { core, api, bare, stage, close } = await coreBench();
  t.teardown(close);
  const run = await stage();
  const { port } = core;
  const head = unfinished('/api/v1/session').replace('127.0.0.1', `127.0.0.1:${port}`);
  await held(t, port, SLOW, head);
  // A GET whose body never comes holds a place, too.
  await held(
    t,
    port,
    SLOW,
    `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const batch = { edge: 'e1', deliveries: [] };
  const asEdge = { authorization: `Bearer ${GATEWAY}` };
  const taken = await bare({ method: 'POST', path: '/internal/v1/deliveries', headers: asEdge, body: batch });
  t.equal(taken.status, 200, 'from edge to core');
  const signedIn = await bare({ method: 'POST', path: '/api/v1/session', body: { token: OTHER_TOKEN } });
  t.equal(signedIn.status, 200, 'a sign-in from the same address');
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  const asGrace = { cookie, origin: `http://127.0.0.1:${port}` };
  t.equal((await bare({ path: '/api/v1/session', headers: asGrace })).status, 200);
  const path = `/api/v1/runs/${run}/gate1/approve`;
  t.equal((await bare({ method: 'POST', path, headers: asGrace })).status, 200, 'a gate, by session');
  const rejected = {
    method: 'POST',
    path: `/api/v1/runs/${await stage()}/gate1/reject`,
    body: { reason: 'x' },
  };
  t.equal((await api(rejected)).status, 200, 'a gate, by token');
});

t.test('slow bodies at one door close no door', async (t) => {
  const server = await edge(t);
  for (const path of ['/webhook/errortracker', '/api/1/envelope/']) {
    await held(t, server.port, SLOW, unfinished(path));
  }
  t.equal((await toNative(server, CRASH)).status, 202, 'a service token');
  t.equal(
    (await toWebhook(server, JSON.stringify(CRASH))).status,
    202,
    'a signed webhook from the same address',
  );
  t.equal((await toSdk(server, envelope(CRASH))).status, 200, 'an SDK at the same address');
  const of = (wanted: string) => server.guard().limits.find(({ name }) => name === wanted);
  t.match(of('address_requests'), { value: 128, largest: 129 });
  await until(() => (of('address_requests')?.refused ?? 0) >= 2 * (SLOW - 128) - 3);
  t.ok(server.guard().outcomes.webhook.overloaded, 'the oldest gave way, and are counted');
});

t.test('unfinished bodies take little memory', async (t) => {
  const server = await edge(t, { limits: { requestMs: 60_000 } });
  const of = (wanted: string) => server.guard().limits.find(({ name }) => name === wanted)?.largest ?? 0;
  const body = Buffer.alloc(4 * MIB, 'x');
  const part = (path: string, bytes: number, headers = '') => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${bytes + 1}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body.subarray(0, bytes)]);
  };
  const sockets = [
    ...(await crowd(t, server.port, 80, part('/api/1/envelope/', 4 * MIB))),
    ...(await crowd(t, server.port, 80, part('/webhook/errortracker', MIB - 1))),
  ];
  await until(() => of('all_unverified_bytes') > MIB / 2);
  const signed = JSON.stringify({ ...CRASH, extra: { text: 'a '.repeat(20_000) } });
  t.equal((await toWebhook(server, signed)).status, 202);
  t.equal((await toNative(server, CRASH)).status, 202);
  // One large body, and what the operating system gave with one read to each of the others before they were paused.
  t.ok(of('all_unverified_bytes') <= 16 * MIB + MIB, `${of('all_unverified_bytes')} bytes unverified`);
  for (const socket of sockets) socket.destroy();
  const large = Buffer.from(`{}\n{"type":"event","length":${MIB}}\n`);
  large.copy(body);
  await crowd(
    t,
    server.port,
    80,
    part('/api/1/envelope/', MIB - 1, `X-Sentry-Auth: Sentry sentry_key=${KEY}\r\n`),
  );
  await until(() => of('public_key_bytes') > 4 * MIB);
  t.equal((await toSdk(server, envelope(CRASH))).status, 200);
  t.ok(of('public_key_bytes') <= 64 * MIB + MIB, `${of('public_key_bytes')} bytes with a public key`);
});

/** Like {@link held}, but the server may stop reading. */
async function crowd(t: Teardown, port: number, count: number, bytes: Buffer): Promise<Socket[]> {
  return Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.teardown(() => socket.destroy());
    socket.write(bytes);
    return socket;
  });
}

t.test('large bodies of one address wait for each other and all arrive', async (t) => {
  const server = await edge(t);
  const body = JSON.stringify({ ...CRASH, extra: { text: 'a '.repeat(400_000) } });
  const all = await Promise.all(Array.from({ length: 12 }, () => toWebhook(server, body)));
  t.same(new Set(all.map(({ status }) => status)), new Set([202]));
});

t.test('a compressed body is unpacked only for a known key', async (t) => {
  const server = await edge(t);
  const bomb = (header: object) =>
    gzipSync(envelope({ message: 'm', extra: { text: 'a'.repeat(8 * MIB) } }, header), { level: 9 });
  const decoded = () =>
    server.guard().limits.find(({ name, door }) => name === 'body_decoded' && door === 'sdk');
  const dsn = (key: string) => `http://${key}@127.0.0.1/1`;
  const gzip = { 'content-encoding': 'gzip' };
  t.equal((await toSdk(server, bomb({ event_id: EVENT }), '', gzip)).status, 401, 'no key');
  t.equal((await toSdk(server, bomb({ dsn: dsn('b'.repeat(32)) }), '', gzip)).status, 401, 'an unknown key');
  const late = gzipSync(`${' '.repeat(MIB)}${envelope(CRASH, { dsn: dsn(KEY) })}`);
  t.equal((await toSdk(server, late, '', gzip)).status, 401, 'a key that is not in the first part');
  t.match(decoded(), { allowed: 0, largest: 0 }, 'nothing was unpacked');
  for (const [name, packed] of [
    ['gzip', gzipSync(envelope(CRASH, { dsn: dsn(KEY) }))],
    ['gzip', gzipSync(envelope({ ...CRASH, extra: { text: 'ab '.repeat(100_000) } }, { dsn: dsn(KEY) }))],
  ] as const) {
    const answer = await toSdk(server, packed, '', { 'content-encoding': name });
    t.equal(answer.status, 200, `${name} of ${packed.length} bytes`);
  }
});

/** RLE blocks of zstd (RFC 8878): four bytes for 128 KiB. */
function zstdBomb(mib: number): Buffer {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
  for (let left = mib * 8; left > 0; left--) {
    const header = (131_072 << 3) | (1 << 1) | (left === 1 ? 1 : 0);
    frame.push(header & 255, (header >> 8) & 255, (header >> 16) & 255, 0x61);
  }
  return Buffer.from(frame);
}

t.test('a packed attachment is unpacked in small pieces, and the loop turns between them', async (t) => {
  const bytes = gzipSync(Buffer.alloc(16 * MIB));
  let turns = 0;
  let pieces = 0;
  let largest = 0;
  let spinning = true;
  const spin = () => {
    turns++;
    if (spinning) setImmediate(spin);
  };
  spin();
  const pass = ({ length }: Uint8Array) => {
    pieces++;
    largest = Math.max(largest, length);
  };
  const unpacker = unpackBody('gzip', bytes, { pass });
  await unpacker?.take(bytes);
  await unpacker?.end();
  spinning = false;
  t.ok(largest <= 256 * 1024, `${largest}`);
  t.ok(pieces >= 64 && turns >= pieces / 4, `${pieces} pieces in ${turns} turns`);
});

t.test('bombs of every encoding at every door are refused before they are unpacked', async (t) => {
  const server = await edge(t, { brotli: true });
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const plain = Buffer.alloc(16 * MIB, 'a');
  const bombs: Readonly<Record<string, Buffer>> = {
    gzip: gzipSync(plain, { level: 1 }),
    deflate: deflateSync(plain, { level: 1 }),
    br: brotliCompressSync(plain, fast),
    zstd: zstdBomb(1024),
  };
  for (const [encoding, bomb] of Object.entries(bombs)) {
    const signed = { 'tracker-hook-signature': sign(bomb), 'x-service-token': TOKEN };
    for (const path of ['/api/v1/telemetry/ingest', '/webhook/errortracker', '/api/1/store/']) {
      const query = path === '/api/1/store/' ? `?sentry_key=${KEY}` : '';
      const headers = { ...signed, 'content-encoding': encoding };
      const { status } = await post(server.url + path + query, bomb, headers);
      t.equal(status, 413, `${encoding} at ${path}`);
    }
  }
  const attachment = `{"type":"attachment","length":${128 * MIB}}\n`;
  const whole = Buffer.concat([Buffer.from(envelope(CRASH) + attachment), Buffer.alloc(128 * MIB)]);
  const packed = brotliCompressSync(whole, fast);
  t.equal((await toSdk(server, packed, undefined, { 'content-encoding': 'br' })).status, 413);
  for (const { name, door, value, largest } of server.guard().limits)
    if (name === 'body_decoded') t.ok(largest <= value, `${door}: ${largest} bytes of ${value}`);
  t.equal((await toNative(server, CRASH)).status, 202);
});

t.test('routes take bodies of the size that they need', async (t) => {
  const { core, bare, close } = await coreBench();
  t.teardown(close);
  const [socket] = await held(
    t,
    core.port,
    1,
    unfinished('/chat/slack/interactive', 'payload=').replace('127.0.0.1', `127.0.0.1:${core.port}`),
  );
  const refused = await new Promise((resolve) => socket?.once('data', (data) => resolve(String(data))));
  t.match(refused, /^HTTP\/1.1 401/, 'chat is off: refused by its head');
  const long = { token: 'x'.repeat(3_000) };
  t.equal((await bare({ method: 'POST', path: '/api/v1/session', body: long })).status, 413);
  t.equal((await bare({ method: 'POST', path: '/api/v1/session', body: { token: REVIEWER } })).status, 200);
});

t.test('wrong sign-ins never shut out everyone', async (t) => {
  let now = 1_000_000;
  const { bare, api, core, host, close } = await coreBench({ now: () => now });
  t.teardown(close);
  const signIn = (token: string, client?: string) =>
    bare({
      method: 'POST',
      path: '/api/v1/session',
      headers: client === undefined ? {} : { 'x-forwarded-for': `6.6.6.6, ${client}` },
      body: { token },
    });
  t.equal((await api({ path: '/api/v1/runs' })).status, 200, 'ada has used her token');
  for (let failure = 0; failure < 11; failure++) await signIn('wrong', '10.0.0.1');
  t.equal((await signIn('wrong', '10.0.0.1')).status, 429, 'who failed must wait');
  t.equal((await signIn(OTHER_TOKEN, '10.0.0.1')).status, 200, 'a right token signs in, also if it is new');
  t.equal((await signIn(OTHER_TOKEN, '10.0.0.2')).status, 200, 'another client of an unnamed proxy signs in');
  for (let failure = 0; failure < 120; failure++) await signIn('wrong', `10.0.1.${failure}`);
  t.equal(
    (await signIn('wrong', '10.0.2.1')).status,
    429,
    'invented clients reach the limit of their address',
  );
  t.equal((await signIn(REVIEWER)).status, 200);
  t.equal((await signIn(OTHER_TOKEN, '10.0.2.1')).status, 200, 'a right token signs in from there, too');
  const asGrace = httpClient(core.port, { host, authorization: `Bearer ${OTHER_TOKEN}` });
  t.equal((await asGrace({ path: '/api/v1/runs' })).status, 200);
  now += 5 * 60_000;
  t.equal((await signIn('wrong', '10.0.2.1')).status, 401, 'after five minutes everyone may try again');

  const short = createReviewers([{ name: 'ada', token: 'short' }]).recognise('short');
  const limit = createSignInLimit(1, () => now, new Set());
  const head = {
    method: 'POST',
    path: '/',
    query: {},
    params: {},
    headers: {},
    remoteAddress: '10.0.0.1',
    receivedAt: 0,
  };
  limit.failed(head);
  t.ok((limit.wait(head, short) ?? 0) > 0, 'a token that can be guessed waits until it was accepted once');
  now -= 365 * 24 * 60 * 60_000;
  t.equal(limit.wait(head, short), null, 'nobody is locked out for a year by a clock that was set back');
  if (short !== null) limit.succeeded(short);
  t.equal(limit.wait(head, short), null);
});

for (const driver of DRIVERS)
  t.test(`${driver}: bytes after an ambiguous head are never a request`, async (t) => {
    const seen: string[] = [];
    const route: Route = {
      method: 'POST',
      pattern: '/*path',
      bodyLimit: 100,
      handle: ({ path }) => {
        seen.push(path);
        return { status: 200, body: 'ok' };
      },
    };
    const server = await listen({ host: '127.0.0.1', port: 0, driver, logger, routes: [route] });
    t.teardown(() => server.close());
    const next = 'POST /smuggled HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
    const framings = [
      ['Content-Length: 2\r\nContent-Length: 40', 'ab'],
      ['Content-Length: 2\r\nContent-Length: 2', 'ab'],
      ['Content-Length: 0\r\nContent-Length: 40', ''],
      ['Content-Length: 2, 2', 'ab'],
      ['Transfer-Encoding: chunked, identity', '2\r\nab\r\n0\r\n\r\n'],
      ['Transfer-Encoding: identity, chunked', '2\r\nab\r\n0\r\n\r\n'],
      ['Transfer-Encoding: identity', '2\r\nab\r\n0\r\n\r\n'],
      ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '2\r\nab\r\n0\r\n\r\n'],
      ['Transfer-Encoding: chunked\r\nContent-Length: 3', '2\r\nab\r\n0\r\n\r\n'],
      ['Host: b\r\nContent-Length: 2', 'ab'],
    ].flatMap(([framing, body]) => [
      { framing, parts: [`POST /first HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${body}${next}`] },
      { framing, parts: [`POST /first HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${body}`, next] },
    ]);
    const sockets = await Promise.all(
      framings.map(async ({ framing, parts }) => {
        const { socket, answer } = await exchange(server.port, parts);
        t.match(answer, /^(?:HTTP\/1.1 400 |$)/, `${framing}, in ${parts.length}`);
        return socket;
      }),
    );
    // The server has read all that it is going to read once it has served another connection, twice.
    for (const path of ['/after', '/later'])
      await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST' });
    for (const socket of sockets) socket.destroy();
    t.same(seen.splice(0), ['/after', '/later'], 'no other handler ran');
    const chunked =
      'POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n';
    const { socket } = await exchange(server.port, [chunked, next]);
    await until(() => seen.length === 2);
    socket.destroy();
    t.same(seen, ['/first', '/smuggled'], 'requests that follow each other are served');
  });

/** Sends the first part, and the others once it is answered. Gives the first answer, empty if the server closed the socket. */
function exchange(port: number, [first = '', ...others]: readonly string[]) {
  const socket = connect(port, '127.0.0.1');
  return new Promise<{ socket: Socket; answer: string }>((resolve) => {
    let answer = '';
    let answered = false;
    const done = () => {
      if (answered) return;
      answered = true;
      for (const part of others) socket.write(part);
      resolve({ socket, answer });
    };
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
      const length = /content-length: (\d+)\r\n(?:.*\r\n)*\r\n/i.exec(answer);
      if (length !== null && answer.length >= length.index + length[0].length + Number(length[1])) done();
    });
    socket.on('error', () => {}).on('close', done);
    socket.write(first);
  });
}

for (const driver of DRIVERS)
  t.test(`${driver}: an address that may not connect is cut at once`, async (t) => {
    let left = 2;
    const server = await listen({
      host: '127.0.0.1',
      port: 0,
      driver,
      logger,
      routes: [{ method: 'GET', pattern: '/', handle: () => ({ status: 200, body: 'ok' }) }],
      refusals: { refuse: (error) => problemResponse(error) },
      mayConnect: () => left-- > 0,
    });
    t.teardown(() => server.close());
    const get = async () => {
      const { socket, answer } = await exchange(server.port, ['GET / HTTP/1.1\r\nHost: a\r\n\r\n']);
      socket.destroy();
      return answer;
    };
    t.match(await get(), /200 OK/);
    t.match(await get(), /200 OK/);
    t.equal(await get(), '');
  });

t.test('the loop turns between the crashes of a large envelope, and senders take turns', async (t) => {
  let turns = 0;
  let counting = true;
  const count = () => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  t.teardown(() => {
    counting = false;
  });
  const seen: number[] = [];
  const sanitiser: Sanitiser = {
    ...standardSanitiser,
    json: (value) => {
      if (JSON.stringify(value).includes('heavy')) seen.push(turns);
      return standardSanitiser.json(value);
    },
  };
  const server = await edge(t, { sanitiser });
  const item = `{"type":"event"}\n${JSON.stringify({ message: `heavy ${'x'.repeat(16 * KIB)}` })}\n`;
  const body = `{}\n${item.repeat(2)}`;
  for (const [sent, headers] of [
    [body, {}],
    [gzipSync(body), { 'content-encoding': 'gzip' }],
  ] as const) {
    seen.length = 0;
    const answer = await toSdk(server, sent, `sentry_key=${KEY}`, headers);
    t.equal(answer.status, 200, await answer.text());
    t.equal(new Set(seen).size, 2, `each in a turn of its own: ${seen.join(' ')}`);
  }
  const order: string[] = [];
  const { delivery, piece } = createFairWork();
  const flood = Array.from({ length: 20 }, (_, index) =>
    delivery('flood', async () => order.push(await piece(() => `flood ${index}`))),
  );
  await Promise.all([
    ...flood,
    delivery('neighbour', async () => order.push(await piece(() => 'neighbour'))),
  ]);
  t.ok(order.indexOf('neighbour') < 3, 'another sender does not wait for the whole flood');
  await t.rejects(
    piece(() => {
      throw new Error('a bug');
    }),
    /a bug/,
  );
  t.equal(await piece(() => 1), 1, 'work goes on after a failure');
});

t.test(
  'a secret that is wrong in its last character takes as many comparisons of hashes as in its first',
  async (t) => {
    const server = await edge(t);
    const { bare, close } = await coreBench();
    t.teardown(close);
    const own = crypto.timingSafeEqual;
    const use = (compare: typeof own) => {
      crypto.timingSafeEqual = compare;
      syncBuiltinESMExports();
    };
    let compared = 0;
    use((one, other) => {
      compared += 1;
      return own(one, other);
    });
    t.teardown(() => use(own));
    const body = JSON.stringify(CRASH);
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const batch = { edge: 'e1', deliveries: [] };
    const doors: Record<string, readonly [string, (secret: string) => Promise<{ readonly status: number }>]> =
      {
        webhook: [sign(body), (secret) => toWebhook(server, body, { 'tracker-hook-signature': secret })],
        native: [TOKEN, (secret) => toNative(server, CRASH, { 'x-service-token': secret })],
        SDK: [KEY, (secret) => toSdk(server, envelope(CRASH), `sentry_key=${secret}`)],
        'a reviewer’s token': [
          REVIEWER,
          (secret) => bare({ path: '/api/v1/session', headers: bearer(secret) }),
        ],
        'sign-in': [REVIEWER, (token) => bare({ method: 'POST', path: '/api/v1/session', body: { token } })],
        edge: [
          GATEWAY,
          (secret) =>
            bare({ method: 'POST', path: '/internal/v1/deliveries', headers: bearer(secret), body: batch }),
        ],
      };
    for (const [name, [right, ask]] of Object.entries(doors)) {
      const other = (text: string) => (text === 'b' ? 'c' : 'b');
      const wrong = [
        `${other(right.at(0) ?? '')}${right.slice(1)}`,
        `${right.slice(0, -1)}${other(right.at(-1) ?? '')}`,
      ];
      const counts: number[] = [];
      for (const secret of [right, ...wrong]) {
        compared = 0;
        const { status } = await ask(secret);
        t.equal([200, 202].includes(status), secret === right, `${name}: ${status}`);
        counts.push(compared);
      }
      const [, first = 0, last] = counts;
      t.ok(first > 0 && first === last, `${name}: ${counts.join(', ')} comparisons`);
    }
  },
);
