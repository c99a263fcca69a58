// The measured server: `culprit` (core's hub and native sockets, with entries from memory) or `ws`.
import { summarise } from '@culprit/core/internal/domain/run';
import { makeRun } from '@culprit/core/testing';

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const run = summarise(makeRun({}));
let sequence = 0;
/** The title contains the time, with constant length. */
const entry = () => ({
  sequence: ++sequence + 100_000,
  run: { ...run, title: `at=${(performance.timeOrigin + performance.now()).toFixed(3)}` },
});
const servers = { culprit, ws };
const { port, send, size } = await servers[process.argv[2]]();

process.on('message', async ({ changes, everyMs }) => {
  if (changes === undefined) return process.send({ rss: rss(), size: size() });
  globalThis.gc?.();
  const before = process.cpuUsage();
  const start = performance.now();
  for (let n = 0; n < changes; n++) {
    const wait = start + n * everyMs - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    send(entry());
  }
  // Waits for the last messages.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const { user, system } = process.cpuUsage(before);
  process.send({ user, system, rss: rss(), size: size() });
});
process.send({ port });

function rss() {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

async function culprit() {
  const { listen } = await import('../../packages/host/dist/http/server.js');
  const { createHub } = await import('../../packages/host/dist/server/live/hub.js');
  const { EVERYTHING } = await import('../../packages/host/dist/server/live/topics.js');
  let emit = () => {};
  let publish = () => {};
  const feed = {
    head: async () => ({ epoch: 'bench', sequence: sequence + 100_000 }),
    since: async () => [],
    watch(listener) {
      emit = listener;
      return () => {};
    },
  };
  const engine = { feed, runs: async () => ({ runs: [], next: null }) };
  const guards = { all: () => [], watch: () => () => {} };
  const hub = createHub({
    engine,
    guards,
    publish: (topic, text) => publish(topic, text),
    now: Date.now,
    logger: silent,
  });
  const reader = { since: null, unreadable: false, filter: EVERYTHING, session: null, expiresAt: null };
  const socket = {
    pattern: '/',
    maxBackpressure: 8 * 1024 * 1024,
    mounted(native) {
      publish = native;
    },
    upgrade: async () => ({ accept: reader }),
    open: (opened) => hub.open(opened, reader),
    closed: (closed) => hub.closed(closed),
  };
  const { port } = await listen({
    host: '127.0.0.1',
    port: 0,
    routes: [],
    sockets: [socket],
    logger: silent,
  });
  return { port, send: (one) => emit(one), size: () => hub.size };
}

async function ws() {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    port: server.address().port,
    send(one) {
      const text = Buffer.from(JSON.stringify({ type: 'run', ...one }));
      for (const client of server.clients) client.send(text, { binary: false });
    },
    size: () => server.clients.size,
  };
}
