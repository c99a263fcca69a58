import { join } from 'node:path';
import { createSanitiser } from '@culprit/core';
import { composeTrackers } from '../compose/edge-trackers.js';
import { loadExternalConnectors } from '../compose/external-connectors.js';
import { urlOf } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { startEdge } from '../edge/server.js';
import { createLogger } from '../log/create-logger.js';
import { tellMadeSecrets } from './banner.js';
import { announceReady } from './ready-message.js';
import { readServerFlags } from './server-flags.js';
import { stopSignal } from './stop-signal.js';

/** Starts Server A and serves until it is told to stop. */
export async function edge(argv: string[]): Promise<number> {
  const flags = readServerFlags(argv, { name: 'edge', summary: 'Server A: the doors for crashes.' });
  if (flags === null) return 0;
  const loaded = loadConfig({ flags, role: 'edge' });
  const { config } = loaded;
  const logger = createLogger({
    level: config.logLevel,
    name: 'edge',
    pretty: process.stdout.isTTY === true,
  });
  for (const warning of config.warnings) logger.warn({}, warning);
  const abort = new AbortController();
  const server = await startEdge({
    host: config.host,
    port: config.edgePort,
    trackers: await composeTrackers(
      config,
      logger,
      abort.signal,
      await loadExternalConnectors(config.connectors),
    ),
    serviceTokens: config.serviceTokens.map(({ name, token }) => ({ name, token: token.reveal() })),
    coreUrl: config.coreUrl ?? urlOf(config.host, config.corePort),
    internalSecret: config.internalSecrets[0]?.reveal() ?? '',
    spoolDirectory: join(config.dataDirectory, 'spool'),
    trustedProxies: config.trustedProxies,
    limits: config.limits,
    brotli: config.ingest.brotli,
    sanitiser: createSanitiser(config.ingest.scrub),
    logger,
  });
  const url = urlOf(config.host, server.port);
  logger.info({ port: server.port, url }, 'the edge is listening');
  tellMadeSecrets(loaded);
  announceReady({ port: server.port, url });
  await stopSignal();
  logger.info({}, 'the edge is stopping');
  await server.close();
  abort.abort();
  return 0;
}
