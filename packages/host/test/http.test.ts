import { connect } from 'node:net';
import { CulpritError, type Logger } from '@culprit/core';
import t, { type Test } from 'tap';
import { createClientAddress, networkOf } from '../src/http/client-address.js';
import type { DriverName, Wire } from '../src/http/driver.js';
import { runExchange } from '../src/http/exchange.js';
import { atLeast } from '../src/http/least-rate.js';
import { LONG_BODY_BYTES } from '../src/http/long-body.js';
import type { Publish, Route, Socket } from '../src/http/message.js';
import { problemResponse } from '../src/http/problem-response.js';
import { RequestInHand } from '../src/http/request-in-hand.js';
import { createRouter } from '../src/http/router.js';
import { type ListenOptions, listen } from '../src/http/server.js';
import { DRIVERS } from './support/tested-driver.js';

const logged: string[] = [];
const logger: Logger = { debug() {}, info() {}, warn() {}, error: (_, message) => void logged.push(message) };

const MIB = 1024 * 1024;
const text = (value: string) => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: value });

t.test('a body may take the time that its bytes take at the lowest rate, and not longer', async (t) => {
  const read = async (pieces: AsyncIterable<Uint8Array>, bytesPerSecond: number) => {
    let bytes = 0;
    for await (const piece of atLeast(pieces, { graceMs: 1, bytesPerSecond })) bytes += piece.length;
    return bytes;
  };
  let left = false;
  const stalls = async function* () {
    try {
      yield Buffer.alloc(10);
      await new Promise((resolve) => setTimeout(resolve, 200).unref());
      yield Buffer.alloc(10);
    } finally {
      left = true;
    }
  };
  await t.rejects(read(stalls(), 1_000), { code: 'timed_out' });
  t.equal(await read(stalls(), 0.001), 20, 'its bytes have bought the time');
  t.ok(left);
});

t.test(
  'a sender that was paused is read again when its body is complete, although its last piece came meanwhile',
  async (t) => {
    let piece: (bytes: Buffer, isLast: boolean) => void = () => {};
    const seen: string[] = [];
    const nothing = () => {};
    const wire: Wire = {
      onAborted: nothing,
      onData: (act) => {
        piece = act;
      },
      keep: (bytes) => bytes,
      pause: () => void seen.push('pause'),
      resume: () => void seen.push('resume'),
      keepAlive: nothing,
      answer: ({ body }) => void seen.push(String(body)),
      answerBut: nothing,
      answerLast: nothing,
      close: nothing,
    };
    const route: Route = {
      method: 'POST',
      pattern: '/',
      bodyLimit: MIB,
      reader: () => ({
        take: async () => {},
        held: () => 0,
        end: async () => ({ body: new Uint8Array(2), sent: 2, sha256: '' }),
      }),
      handle: () => text('answer'),
    };
    const head = new RequestInHand('POST', '/', {}, { 'content-length': '9' }, '127.0.0.1', 0);
    await new Promise<void>((resolve) => {
      runExchange(
        {
          read: { head, ambiguous: false },
          wire,
          route,
          deadlines: { ms: () => 0, add: nothing, leave: nothing, close: nothing },
          policy: {
            admit: () => null,
            begin: () => null,
            refuse: () => text('refused'),
            abandoned: nothing,
            handle: async () => text('answer'),
          },
          arrivals: { enter: () => ({ keep: nothing, leave: nothing }), figures: () => ({}) as never },
          finished: () => setImmediate(resolve),
        },
        null,
      );
      piece(Buffer.alloc(LONG_BODY_BYTES + 1), false);
      piece(Buffer.alloc(1), true);
    });
    t.same(seen, ['pause', 'resume', 'answer']);
  },
);

t.test('router', async (t) => {
  const route = (method: Route['method'], pattern: string): Route => ({
    method,
    pattern,
    handle: () => text(pattern),
  });
  const match = createRouter([
    route('GET', '/files/*path'),
    route('GET', '/runs/:id'),
    route('GET', '/runs/latest'),
    route('PUT', '/runs/:id'),
    route('POST', '/api/:project/envelope/'),
  ]);
  const found = (method: string, path: string) => {
    const result = match(method, path);
    return 'route' in result ? [result.route.pattern, { ...result.params }] : result.answer.status;
  };
  t.same(found('GET', '/runs/latest'), ['/runs/latest', {}], 'a literal wins');
  t.same(found('GET', '/runs/a%2Fb'), ['/runs/:id', { id: 'a/b' }]);
  t.same(found('HEAD', '/runs/1'), ['/runs/:id', { id: '1' }]);
  t.same(found('GET', '/files/a/b.js'), ['/files/*path', { path: 'a/b.js' }]);
  t.equal(found('GET', '/runs/%zz'), 400, 'an invalid percent-encoding is a response, not an exception');
  t.equal(found('GET', '/runs/'), 404, 'a name does not match an empty segment');
  t.equal(found('GET', '/nothing'), 404);
  t.equal(found('POST', '/api/1/envelope'), 404, 'the last slash counts');
  t.same(found('POST', '/api/__proto__/envelope/'), ['/api/:project/envelope/', { project: '__proto__' }]);
  const refused = match('DELETE', '/runs/1');
  t.match(refused, { answer: { status: 405, headers: { allow: 'GET, PUT, HEAD, OPTIONS' } } });
  t.match(match('OPTIONS', '/runs/1'), { answer: { status: 204, headers: { allow: /GET/ } } });
});

t.test('problem documents', async (t) => {
  const answer = problemResponse(new CulpritError('malformed', 'Say why.', { path: 'a[0]' }));
  t.equal(answer.status, 400);
  t.same(answer.headers?.['content-type'], 'application/problem+json');
  t.match(JSON.parse(String(answer.body)), {
    code: 'malformed',
    detail: 'Say why.',
    path: 'a[0]',
    status: 400,
  });
  t.equal(
    problemResponse(new CulpritError('rate_limited', 'x', { retryAfterMs: 1_200 })).headers?.['retry-after'],
    '2',
  );
  t.notMatch(problemResponse(new Error('secret')).body, /secret/);
});

t.test('client address', async (t) => {
  const plain = createClientAddress([]);
  t.equal(plain('10.0.0.1', '1.2.3.4'), '10.0.0.1', 'no proxy is trusted by default');
  const behind = createClientAddress(['10.0.0.0/8', '::1']);
  t.equal(behind('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.9.9.9'), '1.2.3.4', 'the right-most untrusted');
  t.equal(behind('9.9.9.9', '1.2.3.4'), '9.9.9.9', 'the header of an untrusted peer is ignored');
  t.equal(behind('::1', '[2001:db8::1]:443'), '2001:db8::1');
  t.equal(behind('10.0.0.1', '1.2.3.4:5678'), '1.2.3.4');
  t.equal(behind('10.0.0.1', '<script>, 10.0.0.2'), '10.0.0.2', 'an invalid entry ends the search');
  t.equal(behind('10.0.0.1', '10.0.0.3'), '10.0.0.3');
  t.equal(createClientAddress(['1.2.3.0/24'])('1.2.3.4', '::ffff:102:405'), '1.2.4.5');
  for (const bad of ['nonsense', '10.0.0.0/99', '10.0.0.0/x', '']) {
    t.throws(() => createClientAddress([bad]), { code: 'configuration' });
  }
});

t.test('an IPv6 client counts by its network', async (t) => {
  t.equal(networkOf('1.2.3.4'), '1.2.3.4');
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  t.equal(networkOf('2001:db8::6'), '2001:db8:0:0::/64');
  t.equal(networkOf('::1'), '0:0:0:0::/64');
  t.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
});

const echo: Route = {
  method: 'POST',
  pattern: '/echo/:name',
  bodyLimit: 1_000,
  handle: ({ body, params, query, headers, remoteAddress }) => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'x-evil': 'a\r\nb: c', 'x-name': 'Zoë\u0007' },
    body: JSON.stringify({
      body: Buffer.from(body).toString(),
      params,
      query,
      double: headers['x-double'],
      remoteAddress,
    }),
  }),
};

/** The same test of both servers. */
function each(name: string, act: (t: Test, driver: DriverName) => Promise<void>): void {
  for (const driver of DRIVERS) t.test(`${driver}: ${name}`, (t) => act(t, driver));
}

async function serve(t: Teardown, options: Partial<ListenOptions> & Pick<ListenOptions, 'routes'>) {
  const server = await listen({ host: '127.0.0.1', port: 0, logger, ...options });
  t.teardown(() => server.close());
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}
type Teardown = { teardown(act: () => unknown): unknown };

/** Sends bytes unchanged and returns what was received until the connection closed (or `until` appeared). */
function raw(port: number, parts: readonly string[], until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let seen = '';
    const done = () => {
      socket.destroy();
      resolve(seen);
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      seen += chunk;
      if (until?.test(seen) || isWhole(seen)) done();
    });
    socket.on('close', done);
    socket.on('error', done);
    for (const part of parts) socket.write(part, 'latin1');
  });
}

/** Whether a response that closes the connection is complete. */
function isWhole(seen: string): boolean {
  const at = seen.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(seen)?.[1];
  return at > 0 && /connection: close/i.test(seen) && seen.length >= at + 4 + Number(length);
}

each('requests and responses', async (t, driver) => {
  const page: Route = { method: 'GET', pattern: '/page', handle: () => text('hello') };
  const crash: Route = {
    method: 'GET',
    pattern: '/crash',
    handle: () => {
      throw new Error('secret');
    },
  };
  const locked: Route = {
    ...echo,
    pattern: '/locked',
    admit: () => problemResponse(new CulpritError('forbidden', 'no')),
  };
  const { url, port, load } = await serve(t, { driver, routes: [echo, page, crash, locked] });
  const answer = await fetch(`${url}/echo/a%20b?x=1&x=2&__proto__=3&bad=%zz`, { method: 'POST', body: 'hé' });
  t.same(await answer.json(), {
    body: 'hé',
    params: { name: 'a b' },
    query: { x: '2', ['__proto__']: '3', bad: '%zz' },
    remoteAddress: '127.0.0.1',
  });
  t.equal(answer.headers.get('b'), null, 'a response cannot inject a header');
  t.match(Buffer.from(answer.headers.get('x-name') ?? '', 'latin1').toString(), /^Zoë/, 'headers are UTF-8');
  const chunked = new ReadableStream({
    start(controller) {
      for (const part of ['one', 'two', 'three']) controller.enqueue(Buffer.from(part));
      controller.close();
    },
  });
  const streamed = await fetch(`${url}/echo/c`, { method: 'POST', body: chunked, duplex: 'half' });
  t.match(await streamed.json(), { body: 'onetwothree' });
  const doubled = await raw(
    port,
    ['POST /echo/d HTTP/1.1\r\nHost: a\r\nX-Double: 1\r\nX-Double: 2\r\nContent-Length: 0\r\n\r\n'],
    /remoteAddress/,
  );
  t.match(doubled, /"double":"1, 2"/);
  const head = await fetch(`${url}/page`, { method: 'HEAD' });
  t.equal(head.headers.get('content-length'), '5');
  t.equal(await head.text(), '');
  for (const method of ['HEAD', 'OPTIONS']) {
    const next = 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n';
    const both = await raw(port, [`${method} /page HTTP/1.1\r\nHost: a\r\n\r\n${next}`], /hello$/);
    t.match(
      both,
      /^HTTP\/1.1 20[04][\s\S]*HTTP\/1.1 200[\s\S]*hello$/,
      `the connection stays usable after ${method}`,
    );
  }
  t.match(
    await raw(port, ['HEAD /page HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'], /\r\n\r\n/),
    /\r\n\r\n$/,
  );
  t.equal((await fetch(`${url}/page`, { method: 'POST', body: 'x' })).status, 405);
  t.equal((await fetch(`${url}/page`, { method: 'OPTIONS' })).status, 204);
  t.equal((await fetch(`${url}/none`, { method: 'POST', body: 'x'.repeat(100_000) })).status, 404);
  const failed = await fetch(`${url}/crash`);
  t.equal(failed.status, 500);
  t.notMatch(await failed.text(), /secret/);
  t.same(logged.splice(0), ['a request handler failed']);
  t.equal((await fetch(`${url}/locked`, { method: 'POST', body: 'x'.repeat(900) })).status, 403);
  const large = `GET /page HTTP/1.1\r\nHost: a\r\nX-Large: ${'y'.repeat(6_000)}`;
  t.match(
    await raw(port, [large, `${'z'.repeat(6_000)}\r\n\r\n`], /hello/),
    /200 OK/,
    'heads of 12 KB in two packets',
  );
  // No request stays counted as active.
  while (load().now > 0) await new Promise(setImmediate);
});

each('body limits, deadlines and broken connections', async (t, driver) => {
  const seen: string[] = [];
  const refusals: ListenOptions['refusals'] = {
    refuse: (error) => {
      seen.push(error.code);
      return problemResponse(error);
    },
    abandoned: () => void seen.push('aborted'),
  };
  const { url, port, load } = await serve(t, {
    driver,
    routes: [echo],
    limits: { requestMs: 600_000 },
    refusals,
  });
  /** For requests that never arrive: a busy machine would need longer for others. */
  const { port: hasty } = await serve(t, { driver, routes: [echo], limits: { requestMs: 300 }, refusals });
  const post = (head: string) => `POST /echo/x HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`;
  t.equal(
    (await fetch(`${url}/echo/x`, { method: 'POST', body: 'x'.repeat(1_000) })).status,
    200,
    'exactly the limit',
  );
  t.equal((await fetch(`${url}/echo/x`, { method: 'POST', body: 'x'.repeat(1_001) })).status, 413);
  const large = await fetch(`${url}/echo/x`, { method: 'POST', body: 'x'.repeat(9_000_000) });
  t.match(
    await large.json(),
    { code: 'too_large', limit: 1_000 },
    'a client that is still sending reads the answer',
  );
  t.match(
    await raw(port, [post('Content-Length: 99999999')]),
    /413 /,
    'rejected by its declared length, before the body',
  );
  t.match(
    await raw(port, [post('Transfer-Encoding: chunked'), `3e9\r\n${'x'.repeat(1_001)}\r\n`]),
    /413 /,
    'counted',
  );
  const endless = endlessChunks(port, post('Transfer-Encoding: chunked'));
  t.match(await endless, /413 /, 'endless chunks');
  t.match(await raw(port, [post('Content-Length: 5\r\nContent-Length: 6'), 'abcdef']), /400 /, 'two lengths');
  t.same(seen.splice(0), ['too_large', 'too_large', 'too_large', 'too_large', 'too_large', 'malformed']);
  t.match(
    await raw(hasty, [post('Content-Length: 5'), 'abc']),
    /408 /,
    'a body shorter than its declared length',
  );
  t.match(await raw(hasty, [post('Transfer-Encoding: chunked')]), /408 /);
  t.same(seen.splice(0), ['timed_out', 'timed_out']);
  const gone = connect(port, '127.0.0.1');
  gone.write(`${post('Content-Length: 5')}abc`);
  gone.end();
  while (seen.length === 0) await new Promise(setImmediate);
  t.same(seen.splice(0), ['aborted']);
  for (const junk of [
    'Content-Length: abc',
    'Transfer-Encoding: gzip',
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
  ])
    t.match(await raw(hasty, [post(junk), 'abc']), /^HTTP\/1.1 4(00|08)/);
  await raw(port, ['\x16\x03\x01\x00\r\n\r\n']);
  t.equal((await fetch(`${url}/echo/x`, { method: 'POST', body: 'alive' })).status, 200);
  t.equal(load().now, 0);
});

function endlessChunks(port: number, head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let seen = '';
    socket.setEncoding('latin1').on('data', (chunk) => (seen += chunk));
    socket.on('error', () => {}).on('close', () => resolve(seen));
    const closing = /"code":"too_large".*\}$/s;
    socket.on('data', () => closing.test(seen) && socket.destroy());
    socket.write(head);
    const more = () => {
      while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`));
    };
    socket.on('drain', more);
    more();
  });
}

each('a body that is read while it arrives', async (t, driver) => {
  const open = { reads: () => {} };
  const reading = new Promise<void>((resolve) => (open.reads = resolve));
  let seen = 0;
  const route: Route = {
    method: 'PUT',
    pattern: '/pieces',
    bodyLimit: 40 * MIB,
    streams: true,
    async handle({ pieces = [] }) {
      await reading;
      for await (const piece of pieces) seen += piece.byteLength;
      return text(String(seen));
    },
  };
  const { port, url, load } = await serve(t, { driver, routes: [route] });
  const sender = connect(port, '127.0.0.1');
  sender.write(`PUT /pieces HTTP/1.1\r\nHost: a\r\nContent-Length: ${40 * MIB}\r\n\r\n`);
  const body = Buffer.alloc(MIB, 'x');
  for (let sent = 0; sent < 40; sent++) sender.write(body);
  while (load().now === 0) await new Promise(setImmediate);
  // The kernel's buffers are full once nothing more leaves for a while.
  for (let before = -1; before !== sender.bytesWritten - sender.writableLength; ) {
    before = sender.bytesWritten - sender.writableLength;
    for (let turn = 0; turn < 50; turn++) await fetch(`${url}/none`);
  }
  t.ok(sender.writableLength > 20 * MIB, `the sender is paused: ${sender.writableLength} bytes are waiting`);
  open.reads();
  const answer = await new Promise((resolve) => sender.once('data', (chunk) => resolve(String(chunk))));
  t.match(answer, new RegExp(`200 OK[\\s\\S]*${40 * MIB}$`));
  sender.destroy();
  const tooLong = endlessChunks(
    port,
    'PUT /pieces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  t.match(await tooLong, /413 /, 'beyond its limit the body ends with an error');
  const gone = connect(port, '127.0.0.1');
  gone.write('PUT /pieces HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab');
  while (load().now === 0) await new Promise(setImmediate);
  gone.destroy();
  while (load().now > 0) await new Promise(setImmediate);
});

t.test('a stalled body gets a response before the native idle timeout', async (t) => {
  const servers = await Promise.all(DRIVERS.map((driver) => serve(t, { driver, routes: [echo] })));
  const stalled = ['POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'];
  for (const answer of await Promise.all(servers.map(({ port }) => raw(port, stalled))))
    t.match(answer, /408 /, 'not a connection that closes without a response');
});

each('concurrency, slow handlers and a graceful close', async (t, driver) => {
  let release = () => {};
  const open = new Promise<void>((resolve) => (release = resolve));
  let entered = 0;
  let aborted = 0;
  const slow: Route = {
    method: 'POST',
    pattern: '/slow',
    bodyLimit: 10,
    handle: async ({ signal }) => {
      entered++;
      signal.addEventListener('abort', () => aborted++);
      await open;
      return text('late');
    },
  };
  const health: Route = { method: 'GET', pattern: '/healthz', handle: () => text('ok') };
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    logger,
    driver,
    routes: [slow, health],
    limits: { concurrent: 3 },
  });
  const url = `http://127.0.0.1:${server.port}`;
  const goer = new AbortController();
  const left = fetch(`${url}/slow`, { method: 'POST', signal: goer.signal }).catch(() => 'gone');
  const waiting = [1, 2].map(() => fetch(`${url}/slow`, { method: 'POST' }));
  while (entered < 3) await new Promise(setImmediate);
  t.equal((await fetch(`${url}/slow`, { method: 'POST' })).status, 503);
  t.equal((await fetch(`${url}/healthz`)).status, 200, 'the health check responds under load');
  t.match(server.load(), { now: 3, refused: 1 });
  goer.abort();
  await left;
  while (aborted === 0) await new Promise(setImmediate);
  const closing = server.close();
  t.equal(
    await raw(server.port, ['GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'], /ok/),
    '',
    'no new connections',
  );
  release();
  for (const answer of waiting) t.equal((await answer).status, 200);
  await Promise.all([closing, server.close()]);
  await t.rejects(fetch(`${url}/healthz`));
});

each('a port in use is reported', async (t, driver) => {
  const { port } = await serve(t, { driver, routes: [echo] });
  await t.rejects(listen({ host: '127.0.0.1', port, driver, routes: [], logger }), {
    code: 'configuration',
    message: /another port/,
  });
});

each('WebSockets', async (t, driver) => {
  const sockets: Socket[] = [];
  const closed: Socket[] = [];
  let publish: Publish = () => {};
  const { port } = await serve(t, {
    driver,
    routes: [echo],
    sockets: [
      {
        pattern: '/live',
        maxBackpressure: 64 * 1024,
        upgrade: async ({ query }) =>
          query.token === 'good'
            ? { accept: query.token }
            : { refuse: problemResponse(new CulpritError('unauthenticated', 'Send a token.')) },
        mounted: (all) => {
          publish = all;
        },
        open: (socket, accepted) => {
          sockets.push(socket);
          socket.subscribe('news');
          socket.send(`hello ${accepted} é`);
        },
        message: (socket, message) => void socket.send(`echo ${message}`),
        closed: (socket) => void closed.push(socket),
      },
    ],
  });
  const upgrade = (query: string) =>
    `GET /live?${query} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
  t.match(await raw(port, [upgrade('token=bad')], /detail/), /401 [\s\S]*unauthenticated/);
  t.equal((await fetch(`http://127.0.0.1:${port}/live`)).status, 404, 'not found without an upgrade');
  const other = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
  t.match(
    await raw(port, [`POST /echo/u HTTP/1.1\r\nHost: a\r\n${other}Content-Length: 2\r\n\r\nhi`], /"hi"/),
    /200 OK[\s\S]*"body":"hi"/,
    'a client that offers another protocol, as Java does, is served',
  );
  t.match(await raw(port, [upgrade('token=good')], /hello good/), /101 /);
  while (closed.length === 0) await new Promise(setImmediate);
  t.equal(sockets[0]?.send('x'), 'dropped', 'a closed socket is safe to use');
  const talker = connect(port, '127.0.0.1');
  talker.write(upgrade('token=good'));
  talker.once('data', () => talker.write(Buffer.from('\x81\x82\0\0\0\0hi', 'latin1')));
  let heard = '';
  for await (const chunk of talker) {
    heard += chunk;
    if (heard.includes('echo hi') && !heard.includes('news')) publish('news', 'news: ü');
    if (heard.includes('news')) break;
  }
  t.match(heard, /hello good é[\s\S]*echo hi[\s\S]*news: ü/, 'messages are UTF-8');

  const reader = connect(port, '127.0.0.1');
  let received = Buffer.alloc(0);
  reader.write(upgrade('token=good'));
  while (sockets.length < 3) await new Promise(setImmediate);
  const slow = sockets[2];
  const results = new Set<string>();
  for (let sent = 0; sent < 2_000 && !results.has('dropped'); sent++)
    results.add(slow?.send('x'.repeat(10_000)) ?? '');
  t.ok(results.has('dropped'), 'a reader that does not read is dropped');
  reader.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  await new Promise((resolve) => reader.on('close', resolve));
  t.ok(received.includes(Buffer.from([0x0f, 0xa8])), 'closed with code 4008');
  t.match(received.subarray(-60).toString('latin1'), /too slow/);
});
