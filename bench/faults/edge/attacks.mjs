import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bombs, hostileJson, manyItems, tenMillionItems } from '../lib/bombs.mjs';
import { RawClient, requestBytes } from '../lib/raw-client.mjs';
import { memoryOf, Servers } from './servers.mjs';

/** The edge's memory limit under any input: idle memory plus four bodies being decompressed. */
const MEMORY_MB = 640;

/**
 * Highest p99 of the well-behaved client while an attacker without a credential is at work, in milliseconds. A quick
 * run measures it and does not judge it: its window is short, and other tests may be at work on the same machine.
 */
const P99_MS = 250;

/** Runs each kind of hostile client in turn, and measures the latency of a well-behaved client before and during each. */
export async function attacks({ say, sockets, quick }) {
  const windowMs = quick ? 300 : 1_500;
  const limits = { addressRate: 1e9, addressBurst: 1e9, ...(quick ? { requestMs: 2_000 } : {}) };
  const servers = await Servers.make({ limits });
  await servers.start('core');
  await servers.start('edge');
  const rows = [];
  for (const attack of kinds(servers, sockets)) {
    const before = await neighbour(servers, () => delay(windowMs));
    let statuses = {};
    const during = await neighbour(servers, async () => {
      [statuses] = await Promise.all([attack.act(), delay(windowMs)]);
    });
    const wrong = Object.keys(statuses).filter((status) => !attack.right.includes(status));
    const row = {
      attack: attack.name,
      statuses,
      p99_before_ms: before.p99,
      p99_during_ms: during.p99,
      neighbour_refused: during.refused,
      memory_peak_mb: memoryOf(servers.pid('edge')),
      loop_delay_ms: during.loopDelay,
      ok:
        wrong.length === 0 &&
        during.refused === 0 &&
        (quick || attack.anonymous !== true || during.p99 < P99_MS),
    };
    rows.push(row);
    say(
      `  ${row.ok ? 'ok ' : 'BAD'} ${attack.name.padEnd(28)} ${JSON.stringify(statuses).padEnd(22)} neighbour's p99 ` +
        `${row.p99_before_ms} → ${row.p99_during_ms} ms, loop delay ${row.loop_delay_ms} ms, peak ${row.memory_peak_mb} MB`,
    );
  }
  const peak = memoryOf(servers.pid('edge'));
  const alive = (await fetch(`${servers.edgeUrl}/readyz`)).status === 200;
  await servers.stopAll();
  const ok = alive && rows.every((row) => row.ok) && (peak === null || peak < MEMORY_MB);
  return { data: servers.data, rows, memory_peak_mb: peak, alive, ok };
}

const TIMES = 24;

function kinds({ ports, serviceToken, sdkKey }, sockets) {
  const sdk = { 'x-sentry-auth': `Sentry sentry_key=${sdkKey}` };
  const native = { 'x-service-token': serviceToken, 'content-type': 'application/json' };
  const times = (bytes) => async () => {
    const statuses = await Promise.all(
      Array.from({ length: TIMES }, async () => {
        const client = new RawClient(ports.edge);
        const status = await client.send(bytes);
        client.end();
        return status;
      }),
    );
    return tally(statuses);
  };
  const envelope = ({ encoding, body }) =>
    times(requestBytes('/api/1/envelope/', { ...sdk, 'content-encoding': encoding }, body));
  const slow = (bytes, everyMs) => async () => tally(await drip(ports.edge, bytes, everyMs));
  const ingest = '/api/v1/telemetry/ingest';
  const declared = (length, body) => requestBytes(ingest, { ...native, 'content-length': length }, body);
  return [
    ...Object.entries(bombs()).map(([name, bomb]) => ({
      name: `bomb: ${name}`,
      act: envelope(bomb),
      right: name === 'gzip in gzip' ? ['415'] : name.includes('twice') ? ['400'] : ['413'],
    })),
    { name: '10 million items', act: envelope(tenMillionItems()), right: ['413'] },
    { name: 'an envelope of 1.4 million items', act: envelope(manyItems()), right: ['400', '413'] },
    ...Object.entries(hostileJson()).map(([name, text]) => ({
      name: `JSON: ${name}`,
      act: times(requestBytes(ingest, native, text)),
      // What is too deep or too wide is cut.
      right: CUT.has(name) ? ['202'] : ['400'],
    })),
    {
      name: 'Content-Length above the actual length',
      act: times(declared(500, '{"message":"m"}')),
      right: ['408'],
    },
    // Bytes after the declared end are parsed as the next request, which is invalid.
    {
      name: 'lying Content-Length, shorter',
      act: times(declared(5, '{"message":"m"}')),
      right: ['400', '505'],
    },
    { name: 'Content-Length above the limit', act: times(declared(2e9, '{')), right: ['413'] },
    {
      name: 'endless chunks',
      act: async () => tally(await endless(ports.edge, ingest, native)),
      right: ['413'],
    },
    {
      name: 'slowloris: head',
      anonymous: true,
      act: slow(`POST ${ingest} HTTP/1.1\r\nhost: x\r\nx-a: ${'b'.repeat(9_000)}`, 400),
      right: ['cut', '408'],
    },
    {
      name: 'slowloris: body',
      act: slow(declared(1_000, '').toString() + ' '.repeat(1_000), 400),
      right: ['408'],
    },
    ...expensiveTexts().map(([name, text]) => ({
      name: `expensive text: ${name}`,
      act: envelope({
        encoding: 'gzip',
        body: gzipSync(`{}\n{"type":"event"}\n${JSON.stringify({ message: text })}`),
      }),
      right: ['200'],
    })),
    ...['/webhook/errortracker', '/api/1/envelope/'].map((path) => ({
      name: `${SLOW} slow bodies at ${path}`,
      anonymous: true,
      act: () => hold(ports.edge, SLOW, unfinished(path, 900, '{')),
      right: ['open', '503', '408', 'cut'],
    })),
    {
      name: '80 unfinished bodies of 4 MB',
      anonymous: true,
      act: () => hold(ports.edge, 80, unfinished('/api/1/envelope/', 5e6, 'x'.repeat(4e6))),
      right: ['open', '503', '408', 'cut', '401'],
    },
    {
      name: 'bombs without a key',
      anonymous: true,
      act: times(requestBytes('/api/1/envelope/', { 'content-encoding': 'gzip' }, bombs().gzip.body)),
      right: ['401'],
    },
    {
      name: 'slow sign-ins at core',
      anonymous: true,
      act: () => hold(ports.core, SLOW, unfinished('/api/v1/session', 900, '{', ports.core)),
      right: ['open', '503', '408', 'cut'],
    },
    {
      name: `${sockets} idle sockets`,
      anonymous: true,
      act: () => idle(ports.edge, sockets),
      right: ['open', 'cut'],
    },
  ];
}

const CUT = new Set([
  'depth 100,000',
  '100,000 items',
  '10,000 numeric keys',
  '60,000 numeric keys',
  '40,000 keys alike',
]);

/** More than the requests that a server handles at once. */
const SLOW = 520;

const unfinished = (path, length, body, port = 80) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1${port === 80 ? '' : `:${port}`}\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );

/** Texts that are made for the sanitiser, each of nearly a megabyte as JSON. */
const expensiveTexts = () =>
  ['cookie:', 'token="', 'pwd=\\"', 'xsrf:'].map((piece) => [
    piece,
    piece.repeat(Math.floor(1_000_000 / (JSON.stringify(piece).length - 2))),
  ]);

/** Sends the same bytes on many lines and holds them; what was answered within five seconds. */
async function hold(port, count, bytes) {
  const clients = Array.from({ length: count }, () => new RawClient(port));
  const statuses = clients.map(() => 'open');
  for (const [index, client] of clients.entries()) {
    client.send(bytes).then((status) => {
      statuses[index] = status;
    });
  }
  await delay(5_000);
  const seen = tally(statuses);
  for (const client of clients) client.end();
  return seen;
}

const tally = (statuses) => {
  const counts = {};
  for (const status of statuses) counts[status ?? 'cut'] = (counts[status ?? 'cut'] ?? 0) + 1;
  return counts;
};

const PATIENCE_MS = 120_000;

/** Sends byte by byte on many connections until each has a response or is closed; `open` if neither happens within two minutes. */
function drip(port, text, everyMs) {
  return Promise.all(
    Array.from({ length: 100 }, async () => {
      const client = new RawClient(port);
      const cut = text.indexOf('\r\n\r\n');
      const start = cut === -1 ? 40 : cut + 4;
      const answered = client.send(Buffer.from(text.slice(0, start)));
      let status = 'open';
      const settled = answered.then((found) => {
        status = found;
      });
      const end = Date.now() + PATIENCE_MS;
      for (let at = start; status === 'open' && at < text.length && Date.now() < end; at += 1) {
        if (!client.closed) client.push(text[at]);
        await Promise.race([settled, delay(everyMs)]);
      }
      client.end();
      return status;
    }),
  );
}

/** Endless chunks, until the edge closes the connection. */
function endless(port, path, headers) {
  return Promise.all(
    Array.from({ length: TIMES }, async () => {
      const client = new RawClient(port);
      let status = null;
      let answered = false;
      const chunked = { ...headers, 'content-length': null, 'transfer-encoding': 'chunked' };
      client.send(requestBytes(path, chunked, '')).then((found) => {
        status = found;
        answered = true;
      });
      const chunk = Buffer.from(`4000\r\n${'x'.repeat(0x4000)}\r\n`);
      for (let sent = 0; !answered && sent < 4_000; sent += 1) {
        await Promise.race([client.push(chunk), delay(200)]);
        await delay(1);
      }
      client.end();
      return status;
    }),
  );
}

/** Opens connections and sends nothing. */
async function idle(port, count) {
  const clients = [];
  for (let index = 0; index < count; index += 1) {
    clients.push(new RawClient(port));
    if (index % 200 === 199) await delay(5);
  }
  await delay(2_000);
  const statuses = tally(clients.map(({ closed }) => (closed ? 'cut' : 'open')));
  for (const client of clients) client.end();
  await delay(200);
  return statuses;
}

/**
 * A client that behaves: 50 crashes a second while `act` runs. The delay of the event loop is the longest wait for
 * `/healthz`, which does nothing else.
 */
async function neighbour({ ports, serviceToken }, act) {
  let running = true;
  let loopDelay = 0;
  const probe = new RawClient(ports.edge);
  const health = Buffer.from('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  const probing = (async () => {
    while (running && !probe.closed) {
      const from = performance.now();
      await probe.send(health);
      loopDelay = Math.max(loopDelay, performance.now() - from);
      await delay(10);
    }
  })();
  const times = [];
  let refused = 0;
  const client = new RawClient(ports.edge);
  const headers = { 'x-service-token': serviceToken, 'content-type': 'application/json' };
  const sending = (async () => {
    while (running) {
      const body = JSON.stringify({ message: 'the neighbour', stack: 'Error: x\n    at y (src/z.js:1:1)' });
      const from = performance.now();
      const status = await client.send(requestBytes('/api/v1/telemetry/ingest', headers, body));
      times.push(performance.now() - from);
      if (status !== 202) refused += 1;
      if (status === null) break;
      await delay(20);
    }
  })();
  await act();
  running = false;
  await Promise.all([sending, probing]);
  client.end();
  probe.end();
  times.sort((a, b) => a - b);
  return {
    p99: Math.round((times[Math.floor(times.length * 0.99)] ?? 0) * 10) / 10,
    refused,
    loopDelay: Math.round(loopDelay * 10) / 10,
  };
}
