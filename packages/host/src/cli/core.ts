import { createEngine } from '@culprit/core';
import { composeCore } from '../compose/core-parts.js';
import { modelInWords } from '../compose/explainers.js';
import { loadExternalConnectors } from '../compose/external-connectors.js';
import { missingRepositories } from '../compose/local-code.js';
import { chatInWords, composeChat } from '../compose/notifiers.js';
import { isShared } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { startCore } from '../core/server.js';
import { createLogger } from '../log/create-logger.js';
import { tellMadeSecrets } from './banner.js';
import { announceReady } from './ready-message.js';
import { readServerFlags } from './server-flags.js';
import { stopSignal } from './stop-signal.js';

/** Starts Server B and serves until it is told to stop. */
export async function core(argv: string[]): Promise<number> {
  const flags = readServerFlags(argv, {
    name: 'core',
    summary: 'Server B: gates, runs, live feed and board.',
  });
  if (flags === null) return 0;
  const loaded = loadConfig({ flags, role: 'core' });
  const { config } = loaded;
  const logger = createLogger({
    level: config.logLevel,
    name: 'core',
    pretty: process.stdout.isTTY === true,
  });
  for (const warning of [...config.warnings, ...missingRepositories(config)]) logger.warn({}, warning);
  const { connectors, documents } = composeCore(config, await loadExternalConnectors(config.connectors));
  const server = await startCore({
    host: config.host,
    port: config.corePort,
    engine: (publicUrl) =>
      createEngine({
        connectors: connectors(publicUrl),
        projects: config.projects,
        scrub: config.ingest.scrub,
        policy: config.gates,
        logger,
      }),
    awaitStorage: isShared(config),
    reviewers: config.reviewers.map(({ name, token }) => ({ name, token: token.reveal() })),
    internalSecrets: config.internalSecrets.map((secret) => secret.reveal()),
    ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
    allowedHosts: [
      ...config.allowedHosts,
      ...(config.coreUrl === null ? [] : [new URL(config.coreUrl).host]),
    ],
    trustedProxies: config.trustedProxies,
    documents,
    chat: composeChat(config, logger),
    logger,
  });
  logger.info(
    { port: server.port, url: server.url, model: modelInWords(config), chat: chatInWords(config) },
    'core is listening',
  );
  tellMadeSecrets(loaded);
  announceReady({ port: server.port, url: server.url });
  await stopSignal();
  logger.info({}, 'core is stopping');
  await server.close();
  return 0;
}
