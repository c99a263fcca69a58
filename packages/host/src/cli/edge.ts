import { join } from 'node:path';
import { createSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { composeTrackers } from '../compose/edge-trackers.js';
import { loadExternalConnectors } from '../compose/external-connectors.js';
import { sanitiserOptions } from '../config/config.js';
import { urlOf } from '../config/network.js';
import { startEdge } from '../edge/server.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { isSupervised } from './ready-message.js';
import { serverUsage } from './server-flags.js';
import { startServer } from './start-server.js';
import { stopSignal } from './stop-signal.js';

export const usage: CommandUsage = { ...serverUsage('edge'), json: false };

/** Starts Server A and serves until it is stopped. */
export async function run(flags: ReadFlags): Promise<number> {
  const { config, logger, announce } = startServer(flags, 'edge');
  const abort = new AbortController();
  const external = await loadExternalConnectors(config.connectors);
  const server = await startEdge({
    host: config.host,
    port: config.edgePort,
    trackers: await composeTrackers(config, logger, abort.signal, external),
    serviceTokens: config.serviceTokens.map(({ name, token }) => ({ name, token: token.reveal() })),
    coreUrl: config.coreUrl ?? urlOf(config.host, config.corePort),
    internalSecret: config.internalGatewaySecret[0]?.reveal() ?? '',
    spoolDirectory: join(config.dataDirectory, 'spool'),
    trustedProxies: config.trustedProxies,
    figuresNeedToken: config.figuresNeedToken,
    httpDriver: config.httpDriver,
    limits: config.limits,
    brotli: config.allowBrotli,
    sanitiser: createSanitiser(sanitiserOptions(config)),
    logger,
  });
  const url = urlOf(config.host, server.port);
  const stopped = stopSignal();
  logger.info(
    { port: server.port, url, ...(isSupervised() ? {} : { http: server.servedBy }) },
    'the edge is listening',
  );
  const forget = announce({ port: server.port, url, servedBy: server.servedBy });
  await stopped;
  forget();
  logger.info({}, 'the edge is stopping');
  await server.close();
  abort.abort();
  return 0;
}
