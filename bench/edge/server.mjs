// One benchmark server in its own process. Argument: its name; messages `begin` and `end` delimit a measurement.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { silentLogger } from '@culprit/core';
import { checkCrashObject } from '@culprit/core/internal/pipeline/crash-object/check-crash-object';
import { fitShape } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import { sanitiseJson, standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { createCleanBytesReader } from '../../packages/host/dist/edge/clean-bytes/clean-bytes.js';
import { NO_RATE_LIMITS } from '../../packages/host/dist/edge/limits.js';
import { startEdge } from '../../packages/host/dist/edge/server.js';
import { settled } from '../loaded/child.mjs';
import { KEY, SECRET, TOKEN } from './bodies.mjs';
import { whereTimeWent } from './where-time-went.mjs';

const [kind, coreUrl = 'http://127.0.0.1:9'] = process.argv.slice(2);

async function tracker(connector) {
  const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
  return (await connector.setup(context)).tracker;
}
const webhook = () => tracker(errortracker({ secrets: [{ project: 'shop', secret: SECRET }] }));

const SERVERS = {
  /** The edge with raised rate limits, on both HTTP servers. */
  culprit: () => edge('uws'),
  'culprit-node': () => edge('node'),

  async echo() {
    return uws(async (body) => body);
  },

  /** The minimum that a signed endpoint has to do, on the same HTTP server. */
  async 'uws-hmac-parse'() {
    return uws(async (body, signature) => {
      const expected = createHmac('sha256', SECRET).update(body).digest();
      if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return null;
      JSON.parse(body.toString());
      return '{"id":"x","status":"accepted"}';
    });
  },

  /** Verifies, parses, validates and sanitises like the webhook door, with core's functions, but stores nothing. */
  async fastify() {
    return fastify(() => null);
  },

  /** The same with the edge's fast path in front: most bodies are checked without parsing them. */
  async 'fastify-plain'() {
    return fastify(createCleanBytesReader(standardSanitiser));
  },
};

async function edge(httpDriver) {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-bench-edge-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const server = await startEdge({
    host: '127.0.0.1',
    port: 0,
    httpDriver,
    trackers: new Map([
      ['errortracker', await webhook()],
      ['native', await tracker(native({ tokens: [{ project: 'shop', name: 'ci', token: TOKEN }] }))],
      ['sentry', await tracker(sentry({ keys: [{ project: 'shop', key: KEY }] }))],
    ]),
    serviceTokens: [],
    coreUrl,
    internalSecret: 'internal-secret-of-the-bench',
    spoolDirectory: directory,
    trustedProxies: [],
    limits: {
      ...NO_RATE_LIMITS,
      spoolBytes: 2 ** 36,
      spoolDeliveries: 1e9,
    },
    spool: { keepMs: 0 },
    logger: silentLogger,
  });
  return server.port;
}

async function fastify(readClean) {
  const { default: Fastify } = await import('fastify');
  const { verify, parse } = await webhook();
  const app = Fastify({ logger: false, bodyLimit: 1024 * 1024 });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.post('/webhook/errortracker', async ({ headers, body }, reply) => {
    const delivery = { headers, body, query: {}, params: {}, remoteAddress: '', receivedAt: 0 };
    if (!verify(delivery).ok) return reply.code(401).send();
    const clean = readClean(body);
    if (clean !== null) return reply.code(202).send({ id: clean.event_id, status: 'accepted' });
    const [crash] = parse(delivery).crashes;
    const { value } = fitShape(crash.crash);
    checkCrashObject(value, { strict: true });
    sanitiseJson(value);
    return reply.code(202).send({ id: crash.event_id, status: 'accepted' });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server.address().port;
}

async function uws(answer) {
  const { default: uWS } = await import('uWebSockets.js');
  const app = uWS.App();
  app.post('/*', (res, req) => {
    const signature = req.getHeader('tracker-hook-signature');
    const chunks = [];
    let gone = false;
    res.onAborted(() => {
      gone = true;
    });
    res.onData((chunk, last) => {
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!last) return;
      const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      answer(body, signature).then((text) => {
        if (gone) return;
        res.cork(() => {
          res.writeStatus(text === null ? '401 Unauthorized' : '202 Accepted');
          res.writeHeader('content-type', 'application/json');
          res.end(text ?? '');
        });
      });
    });
  });
  return new Promise((resolve) =>
    app.listen('127.0.0.1', 0, (token) => resolve(uWS.us_socket_local_port(token))),
  );
}

const delay = monitorEventLoopDelay({ resolution: 1 });
let before = process.cpuUsage();
let session = null;
const ask = (method) =>
  new Promise((resolve, reject) =>
    session.post(method, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

process.on('message', async ({ type, profile, settle }) => {
  if (type === 'begin') {
    if (profile) {
      session = new Session();
      session.connect();
      await ask('Profiler.enable');
      await ask('Profiler.start');
    }
    delay.enable();
    delay.reset();
    before = process.cpuUsage();
    process.send({ type: 'begun' });
  } else if (type === 'end') {
    // With what is forwarded to core afterwards.
    if (settle) await settled();
    const { user, system } = process.cpuUsage(before);
    const where = session === null ? null : whereTimeWent((await ask('Profiler.stop')).profile);
    session = null;
    const ms = (nanos) => nanos / 1e6;
    process.send({
      type: 'ended',
      cpu_us: user + system,
      loop_p50_ms: ms(delay.percentile(50)),
      loop_p99_ms: ms(delay.percentile(99)),
      rss_mb: process.memoryUsage.rss() / 2 ** 20,
      where,
    });
  } else process.exit(0);
});
process.send({ type: 'listening', port: await SERVERS[kind]() });
