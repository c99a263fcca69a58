import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@culprit/client';
import { git, outbox, outboxPages } from '@culprit/connectors/git';
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { createEngine } from '@culprit/core';
import t, { type Test } from 'tap';
import { readClientConfig } from '../src/config/load-config.js';
import { createFetchHandler, type FetchHandlerOptions, nodeListener } from '../src/fetch/index.js';
import { cartCrash, crashingRepository } from './support/crashing-repository.js';
import { httpClient } from './support/http-client.js';
import { openSocket } from './support/websocket-client.js';

const TOKEN = 'reviewer-token-of-ada-000000000000';
const KEY = 'a'.repeat(32);
const SITE = 'http://ops.example.com';

async function bench(t: Test, options: Partial<FetchHandlerOptions> = {}) {
  const directory = t.testdir();
  const repository = crashingRepository(join(directory, 'shop'));
  const engine = await createEngine({
    connectors: [
      storage({ url: 'memory:' }),
      git({}),
      outbox({ directory: join(directory, 'outbox'), baseUrl: SITE }),
      template({}),
      errortracker({ secrets: [{ project: 'default', secret: 'hook-secret' }] }),
      native({ tokens: [{ project: 'default', name: 'shop', token: 'service-token' }] }),
      sentry({ keys: [{ project: 'default', key: KEY }] }),
    ],
    projects: { default: { repository: repository.directory } },
    scrub: { rules: [{ id: 'ticket', pattern: 'TCK-\\d{1,6}' }] },
  });
  const handler = createFetchHandler({
    engine,
    publicUrl: SITE,
    reviewers: [{ name: 'ada', token: TOKEN }],
    documents: outboxPages({ directory: join(directory, 'outbox') }),
    ...options,
  });
  t.teardown(async () => {
    handler.close();
    await engine.close();
  });
  const send = (method: string, path: string, init: RequestInit = {}, context?: unknown) =>
    handler(new Request(`${SITE}${path}`, { method, ...init }), context);
  const ask = async (method: string, path: string) => {
    const answer = await send(method, path, { headers: { authorization: `Bearer ${TOKEN}` } });
    const body: ReturnType<typeof JSON.parse> = await answer.json();
    return { status: answer.status, body };
  };
  return { engine, handler, repository, send, ask };
}

t.test('a crash through a door and both gates to one issue, with plain requests', async (t) => {
  const { send, ask, repository } = await bench(t);
  const body = JSON.stringify({ ...cartCrash('crash-1', repository.head, 'boom'), tags: { order: 'TCK-1' } });
  const headers = { 'x-service-token': 'service-token', 'content-type': 'application/json' };
  const sent = await send('POST', '/api/v1/telemetry/ingest', { headers, body });
  t.equal(sent.status, 202);
  t.strictSame(await sent.json(), { id: 'crash-1', status: 'accepted' });

  const { body: list } = await ask('GET', '/api/v1/runs');
  t.equal(list.runs.length, 1, 'recorded before the response');
  const run = `/api/v1/runs/${list.runs[0].run_id}`;
  t.equal(
    (await ask('GET', run)).body.event.tags.order,
    '[redacted:ticket]',
    'redacted by the engine’s rules',
  );
  t.strictSame((await ask('POST', `${run}/gate1/approve`)).body, {
    status: 'analyzed',
    state: 'staged_draft',
  });
  const published = await ask('POST', `${run}/gate2/approve`);
  t.match(published.body, { status: 'published', issue_url: `${SITE}/outbox/1` });
  t.equal((await ask('GET', `${run}/history`)).status, 200);
  const page = await send('GET', '/outbox/1', { headers: { authorization: `Bearer ${TOKEN}` } });
  t.match(await page.text(), /^<!doctype html>/i, 'the URL opens the issue');
  t.equal((await send('GET', '/outbox/1')).status, 401);
});

t.test('doors respond like those of the edge', async (t) => {
  const { send, engine } = await bench(t, { limits: { nativeBodyBytes: 100 } });
  const hook = (body: string, signature: string) =>
    send('POST', '/webhook/errortracker', { body, headers: { 'tracker-hook-signature': signature } });
  const body = '{"event_id":"e1","message":"boom"}';
  const signature = createHmac('sha256', 'hook-secret').update(body).digest('hex');
  t.equal((await hook(body, signature)).status, 202);
  t.equal((await hook(body, signature)).status, 202, 'a duplicate is a success');
  t.equal((await engine.runs({ limit: 10 })).runs[0]?.occurrences, 1);
  const forged = await hook(`${body} `, signature);
  t.equal(forged.status, 401);
  t.equal(forged.headers.get('content-type'), 'application/problem+json');
  t.match(await forged.json(), { code: 'unauthenticated' });
  t.equal((await send('POST', '/webhook/nobody', { body: '{}' })).status, 404);
  const wrong = await send('GET', '/webhook/errortracker');
  t.same([wrong.status, wrong.headers.get('allow')], [405, 'POST, OPTIONS']);

  const large = { headers: { 'x-service-token': 'service-token' }, body: 'x'.repeat(101) };
  t.equal((await send('POST', '/api/v1/telemetry/ingest', large)).status, 413);
  const chunked = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(60));
    },
  });
  const endless = { headers: large.headers, body: chunked, duplex: 'half' } as RequestInit;
  t.equal(
    (await send('POST', '/api/v1/telemetry/ingest', endless)).status,
    413,
    'counted while it is received',
  );
  const malformed = { headers: large.headers, body: '{"message":' };
  t.equal((await send('POST', '/api/v1/telemetry/ingest', malformed)).status, 400);

  const preflight = await send('OPTIONS', '/api/1/envelope/');
  t.equal(preflight.status, 204);
  t.equal(preflight.headers.get('access-control-allow-origin'), '*');
  t.match(preflight.headers.get('access-control-allow-headers'), 'x-sentry-auth');
  const event = { event_id: 'b'.repeat(32), message: 'from the browser' };
  const envelope = `{"event_id":"${event.event_id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`;
  const sdk = await send('POST', `/api/1/envelope/?sentry_key=${KEY}`, { body: envelope });
  t.equal(sdk.status, 200);
  t.equal(sdk.headers.get('access-control-allow-origin'), '*');
  t.strictSame(await sdk.json(), { id: event.event_id });
  t.equal((await send('POST', '/api/1/envelope/', { body: envelope })).status, 401);
  const other = envelope.replaceAll(event.event_id, 'c'.repeat(32)).replace('browser', 'phone');
  const file = `{"type":"attachment","length":6000000,"filename":"screen.png"}\n${'x'.repeat(6_000_000)}`;
  const heavy = await send('POST', `/api/1/envelope/?sentry_key=${KEY}`, { body: other + file });
  t.equal(heavy.status, 200, 'attachments are dropped while they arrive');
  const { runs } = await engine.runs({ limit: 10 });
  const [run] = runs.filter(({ title }) => title === 'from the phone');
  t.match(await engine.run(run?.run_id ?? ''), {
    event: { attachments: [{ name: 'screen.png', bytes: 6_000_000 }] },
  });
});

t.test('gates need a reviewer, the right name and the right origin', async (t) => {
  const { send, handler } = await bench(t, { allowedHosts: ['127.0.0.1', 'shop.internal:8443'] });
  t.equal((await send('GET', '/api/v1/runs')).status, 401);
  t.equal((await send('GET', '/healthz')).status, 200);
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const rebound = await handler(new Request('http://evil.example/api/v1/runs', { headers: bearer }));
  t.equal(rebound.status, 403);
  t.match(await rebound.json(), { code: 'host_refused', detail: /Use publicUrl, or .* to allowedHosts\./ });
  for (const [host, status] of [
    ['127.0.0.1:3000', 200],
    ['127.0.0.1', 200],
    ['shop.internal:8443', 200],
    ['shop.internal:8444', 403],
    ['127.0.0.10:3000', 403],
  ] as const)
    t.equal(
      (await handler(new Request(`http://${host}/api/v1/runs`, { headers: bearer }))).status,
      status,
      host,
    );
  const head = await send('HEAD', '/healthz');
  t.equal(await head.text(), '');
  t.equal(head.headers.get('content-length'), '15');
  t.equal((await send('GET', '/nothing')).status, 404);
  t.equal((await send('POST', '/healthz')).status, 405);
  const live = await send('GET', '/api/v1/live', { headers: bearer });
  t.equal(live.status, 400, 'the live feed needs a WebSocket');
  const board = await send('GET', '/');
  t.match(board.headers.get('content-security-policy'), /default-src/);
});

t.test('limits use the peer address from the framework', async (t) => {
  const { send } = await bench(t, {
    limits: { addressRate: 0.001, addressBurst: 2 },
    trustedProxies: ['10.0.0.1'],
  });
  const hit = async (address: string, headers: Record<string, string> = {}) =>
    (
      await send(
        'POST',
        '/webhook/errortracker',
        { body: '{}', headers },
        { incoming: { socket: { remoteAddress: address } } },
      )
    ).status;
  const first = [await hit('192.0.2.7'), await hit('192.0.2.7'), await hit('192.0.2.7')];
  t.strictSame(first, [401, 401, 503], 'webhooks get 503');
  t.equal(await hit('192.0.2.8'), 401, 'another address has its own limit');
  t.equal(await hit('10.0.0.1', { 'x-forwarded-for': '192.0.2.7' }), 503, 'a trusted proxy names the client');
});

t.test('below a path of another site, whose own routes still respond', async (t) => {
  const below = await bench(t, { publicUrl: `${SITE}/culprit` });
  t.equal((await below.send('GET', '/culprit/healthz')).status, 200);
  t.equal((await below.send('GET', '/healthz')).status, 200, 'some frameworks remove the path of a mount');
  t.equal((await below.send('GET', '/culpritx/healthz')).status, 404);

  const { port } = await site(t, below.handler);
  const ask = httpClient(port, { host: 'ops.example.com' });
  t.match(await ask({ path: '/shop' }), { status: 200, text: 'the shop' });
  t.match(await ask({ path: '/' }), { status: 200, text: 'the shop' });
  t.match(await ask({ path: '/culprit/unknown' }), { status: 200, text: 'the shop' }, 'next()');
  for (const [method, path, status, code] of [
    ['GET', '/culprit/api/v1/runz', 404, 'not_found'],
    ['POST', '/culprit/api/nothing', 404, 'not_found'],
    ['DELETE', '/culprit/api/v1/runs', 405, 'method_not_allowed'],
    ['PATCH', '/culprit/api/v1/runs', 405, 'method_not_allowed'],
  ] as const)
    t.match(await ask({ method, path }), { status, json: { code } }, `${method} ${path}`);
  t.match(await ask({ method: 'PATCH', path: '/culprit/unknown' }), { text: 'the shop' }, 'by any method');
  const root = httpClient((await site(t, (await bench(t)).handler)).port, { host: 'ops.example.com' });
  for (const method of ['GET', 'DELETE', 'PATCH'])
    t.match(await root({ method, path: '/api/cart' }), { text: 'the shop' }, `${method}: the site's own`);
  t.match(await ask({ path: '/culprit/webhook/errortracker' }), { status: 405 }, 'ours, with a wrong method');
  const page = await ask({ path: '/culprit' });
  t.match(page.text, 'data-path="/culprit"');
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page.text) ?? [];
  t.match(script, /^\/culprit\/assets\//);
  t.equal((await ask({ path: script })).status, 200);
  const signedIn = await ask({
    method: 'POST',
    path: '/culprit/api/v1/session',
    headers: { origin: SITE },
    body: { token: TOKEN },
  });
  t.match(signedIn, { status: 200, headers: { 'set-cookie': /; Path=\/culprit; / } });

  const bearer = { authorization: `Bearer ${TOKEN}` };
  const { repository, engine } = below;
  const { run_id } = await engine.ingest({ crash: cartCrash('c1', repository.head, 'boom') });
  await engine.approveGateOne(run_id ?? '', { name: 'ada', via: 'engine' });
  await engine.approveGateTwo(run_id ?? '', { name: 'ada', via: 'engine' });
  const issue = await ask({ path: '/culprit/outbox/1', headers: bearer });
  const [, css = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(issue.text) ?? [];
  const { pathname } = new URL(css, `${SITE}/culprit/outbox/1`);
  t.match(await ask({ path: pathname, headers: bearer }), { status: 200, text: /\{/ });
});

t.test('the live feed on the upgrade events of node:http', async (t) => {
  const { handler, engine } = await bench(t, { publicUrl: `${SITE}/culprit` });
  const { port, server } = await site(t, handler);
  const host = 'ops.example.com';
  const bearer = { host, authorization: `Bearer ${TOKEN}` };
  const path = '/culprit/api/v1/live';
  await t.rejects(openSocket(port, path, { host }), { message: 'refused with 401' });
  await t.rejects(openSocket(port, path, { ...bearer, host: 'evil.example' }), {
    message: 'refused with 403',
  });
  await t.rejects(openSocket(port, '/elsewhere', bearer), 'nobody else listens');
  const feed = await openSocket(port, path, bearer);
  t.match(await feed.next(), { type: 'snapshot', runs: [] });
  await engine.ingest({ crash: { event_id: 'l1', message: 'the till is stuck' } });
  t.match(await feed.next(), { type: 'run', run: { title: /the till is stuck/ } });
  server.on('upgrade', ({ url }, socket) => {
    if (url === '/elsewhere') socket.end('HTTP/1.1 418 Teapot\r\n\r\n');
  });
  await t.rejects(
    openSocket(port, '/elsewhere', bearer),
    { message: 'refused with 418' },
    'left to its own listener',
  );
  handler.close();
  t.match(await feed.closed, { code: 1001 });
});

t.test('commands reach a Culprit below a path', async (t) => {
  const { handler, engine } = await bench(t, { publicUrl: `${SITE}/culprit` });
  await engine.ingest({ crash: { event_id: 'c1', message: 'the till is stuck' } });
  const at = (url: string) =>
    readClientConfig({ config: null, data: null, edgeUrl: null, token: null, url }).core.url;
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  const culprit = createClient({ url: at(`${SITE}/culprit/`), token: TOKEN, fetch });
  t.match((await culprit.listRuns()).runs, [{ title: 'the till is stuck' }]);
  for (const wrong of ['http://h/a?b', 'http://h/a#b', 'http://me@h/a', 'ftp://h/a', 'h/a'])
    t.throws(() => at(wrong), { message: /^--url must be .* without a password, a query or a fragment\.$/ });
});

t.test('a body that a parser has read: from rawBody, or refused at once', async (t) => {
  const { handler, engine } = await bench(t, { publicUrl: `${SITE}/culprit` });
  const kept = await site(t, handler, (request, bytes) => Object.assign(request, { rawBody: bytes }));
  const lost = await site(t, handler, (request, bytes) =>
    Object.assign(request, { body: JSON.parse(bytes.toString()) }),
  );
  const body = '{"event_id":"r1","message":"boom"}';
  const signature = createHmac('sha256', 'hook-secret').update(body).digest('hex');
  const sent = {
    method: 'POST',
    path: '/culprit/webhook/errortracker',
    headers: { host: 'ops.example.com', 'tracker-hook-signature': signature, 'content-encoding': 'gzip' },
    body,
  };
  t.match(
    await httpClient(kept.port)(sent),
    { status: 202 },
    'parsers decompress the body, and keep the header',
  );
  t.equal((await engine.runs({ limit: 10 })).runs.length, 1);
  const refused = await httpClient(lost.port)(sent);
  t.match(refused, { status: 500, json: { code: 'configuration', detail: /before the parser.*rawBody/ } });
});

t.test('a missing option is named; a short token is refused', async (t) => {
  const { engine } = await bench(t);
  const unset = process.env.CULPRIT_TEST_UNSET as string;
  const token = 'x'.repeat(16);
  const publicUrl = SITE;
  const cases = [
    [{ publicUrl: unset, reviewers: [] }, /publicUrl is missing/],
    [{ publicUrl: 'shop.example', reviewers: [] }, /publicUrl must be an http/],
    [
      { publicUrl, reviewers: [{ name: 'ada', token: unset }] },
      /reviewers\.0\.token is missing.*environment/,
    ],
    [{ publicUrl, reviewers: [{ name: 'ada', token: 'x' }] }, /at least 16 characters.*openssl/],
    [{ publicUrl, reviewers: [{ name: unset, token }] }, /reviewers\.0\.name is missing/],
  ] as const;
  for (const [given, says] of cases) {
    t.throws(() => createFetchHandler({ engine, ...given }), { code: 'configuration', message: says });
  }
  const nobody = undefined as unknown as FetchHandlerOptions['engine'];
  t.throws(() => createFetchHandler({ engine: nobody, publicUrl, reviewers: [] }), {
    message: /engine is missing/,
  });
  for (const short of [unset, 'x']) {
    const tokens = [{ project: 'default', name: 'shop', token: short }];
    t.throws(() => native({ tokens }), { code: 'configuration', message: /tokens\.0\.token/ });
  }
});

t.test('as a node:http listener: slow, truncated and oversized bodies', async (t) => {
  const hasty = await serve(t, (await bench(t, { limits: { requestMs: 200 } })).handler);
  const { handler, engine } = await bench(t, { limits: { requestMs: 600_000, nativeBodyBytes: 1000 } });
  const { port, url } = await serve(t, handler);
  const headers = { 'x-service-token': 'service-token' };
  const sent = await fetch(url, { method: 'POST', headers, body: '{"event_id":"n1","message":"boom"}' });
  t.equal(sent.status, 202);
  const large = await fetch(url, { method: 'POST', headers, body: 'x'.repeat(2000) });
  t.equal(large.status, 413);
  const slow = await new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(hasty.url, {
      method: 'POST',
      headers: { ...headers, 'content-length': 500 },
    });
    request.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    request.write('{"message":');
  });
  t.equal(slow, 408);
  const cut = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-length': 500 } });
  cut.on('error', () => {});
  await new Promise<void>((resolve) => cut.write('{"message":', () => resolve()));
  cut.destroy();
  const after = await fetch(`http://127.0.0.1:${port}//healthz`);
  t.equal(
    after.status,
    403,
    'still serves; the name with this port is not allowed, and // does not change the host',
  );
  t.equal((await engine.runs({ limit: 10 })).runs.length, 1);
});

/** Middlewares as Express and Connect call them: a parser, then Culprit, then the site's own route. */
async function site(
  t: Test,
  handler: Parameters<typeof nodeListener>[0],
  parse?: (request: IncomingMessage, bytes: Buffer) => void,
) {
  const listener = nodeListener(handler);
  const server = createServer(async (request, response) => {
    if (parse !== undefined && request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      parse(request, Buffer.concat(chunks));
    }
    listener(request, response, () => response.end('the shop'));
  });
  server.on('upgrade', listener.upgrade).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** The handler in a node:http server, and the URL of its native door. */
async function serve(t: Test, handler: Parameters<typeof nodeListener>[0]) {
  const server = createServer(nodeListener(handler)).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/api/v1/telemetry/ingest` };
}

t.test('the subpath imports no uWebSockets.js', (t) => {
  const entry = fileURLToPath(new URL('../dist/fetch/index.js', import.meta.url));
  const graph = reach(entry);
  t.ok(graph.files.size > 40, 'the whole graph was followed');
  t.strictSame(
    [...graph.packages].filter((name) => /uwebsockets/i.test(name)),
    [],
  );
  t.strictSame(
    [...graph.files].filter((file) => /uws-(load|driver)/.test(file)),
    [],
    'nor its driver',
  );
  t.end();
});

/** Every module that a module needs, by static and dynamic imports. */
function reach(entry: string) {
  const files = new Set<string>([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) files.add(join(dirname(file), name));
      else packages.add(name);
    }
  }
  return { files, packages };
}
