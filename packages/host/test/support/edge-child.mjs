// Runs one edge from the built package until it is killed. Arguments: spool directory, core URL, limits (JSON).
import { sentry } from '@culprit/connectors/sentry';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { silentLogger } from '@culprit/core';
import { startEdge } from '../../dist/edge/server.js';

const [spoolDirectory, coreUrl, limits = '{}'] = process.argv.slice(2);
const connectors = [
  errortracker({ secrets: [{ project: 'shop', secret: 'hook-secret-of-the-tests' }] }),
  native({ tokens: [{ project: 'shop', name: 'ci', token: 'service-token-of-the-tests' }] }),
  sentry({ keys: [{ project: 'shop', key: 'a'.repeat(32) }] }),
];
const context = { fetch: globalThis.fetch, logger: silentLogger, signal: new AbortController().signal };
const trackers = new Map();
for (const connector of connectors) trackers.set(connector.id, (await connector.setup(context)).tracker);
const server = await startEdge({
  host: '127.0.0.1',
  port: 0,
  trackers,
  serviceTokens: [],
  coreUrl,
  internalSecret: 'internal-secret-of-the-tests',
  spoolDirectory,
  trustedProxies: [],
  httpDriver: process.env.HTTP_DRIVER,
  limits: JSON.parse(limits),
  logger: silentLogger,
  forwarder: { firstPauseMs: 20, longestPauseMs: 200 },
  spool: { segmentBytes: 64 * 1024 },
});
process.stdout.write(`${server.port} ${process.pid}\n`);
