import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { createEngine } from '@culprit/core';
import { composeCore } from '../compose/core-parts.js';
import { describeModel } from '../compose/explainers.js';
import { loadExternalConnectors, storeOf } from '../compose/external-connectors.js';
import { composeIssueEvents } from '../compose/issue-events.js';
import { composeChat, describeChat } from '../compose/notifiers.js';
import { composeOidc } from '../compose/sign-in.js';
import { composeSourceMaps } from '../compose/source-maps.js';
import { withoutEffect } from '../compose/storage.js';
import { type Config, enginePolicy, isShared, sanitiserOptions } from '../config/config.js';
import { auditKeyFor } from '../config/generated-secrets.js';
import { sendersOf } from '../send-crashes/senders.js';
import { startCore } from '../server/server.js';
import { checkSurroundings } from './doctor-services.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';
import { isSupervised } from './ready-message.js';
import { serverUsage } from './server-flags.js';
import { startServer } from './start-server.js';
import { stopSignal } from './stop-signal.js';

export const usage: CommandUsage = { ...serverUsage('core'), json: false };

/** Starts Server B and serves until it is stopped. */
export async function run(flags: ReadFlags): Promise<number> {
  const { config, loaded, logger, announce } = startServer(flags, 'core');
  for (const path of missingRepositories(config))
    logger.warn({ path }, 'the repository does not exist; there is no blame until it does');
  const external = await loadExternalConnectors(config.connectors);
  const externalStore = storeOf(external);
  const unused = externalStore === null ? '' : withoutEffect(config);
  if (unused !== '')
    logger.warn(
      { settings: unused, connector: externalStore },
      'these settings have no effect on a storage from "connectors"; set its own',
    );
  const { connectors, documents } = composeCore(config, external);
  const sourceMaps = composeSourceMaps(config, logger);
  const server = await startCore({
    host: config.host,
    port: config.corePort,
    engine: (publicUrl) =>
      createEngine({
        connectors: connectors(publicUrl),
        projects: config.projects,
        scrub: sanitiserOptions(config),
        policy: enginePolicy(config),
        sourceMaps,
        logger,
      }),
    awaitStorage: isShared(config),
    reviewers: config.reviewerTokens.map(({ name, token }) => ({ name, token: token.reveal() })),
    internalSecrets: config.internalGatewaySecret.map((secret) => secret.reveal()),
    ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
    allowedHosts: [
      ...config.allowedHosts,
      ...(config.coreUrl === null ? [] : [new URL(config.coreUrl).host]),
    ],
    trustedProxies: config.trustedProxies,
    httpDriver: config.httpDriver,
    documents,
    dataDirectory: config.dataDirectory,
    senders: sendersOf(loaded),
    checkSurroundings: () => checkSurroundings(config, externalStore),
    auditKey: externalStore === null ? auditKeyFor(config) : null,
    externalStore,
    sourceMaps,
    chat: composeChat(config, logger),
    oidc: composeOidc(config),
    issueWebhooks: composeIssueEvents(config),
    webhooks: { allowedHosts: config.webhookAllowedHosts },
    logger,
  });
  const { port, url, servedBy } = server;
  const stopped = stopSignal();
  logger.info(
    {
      port,
      url,
      ...(isSupervised() ? {} : { http: servedBy }),
      model: describeModel(config),
      chat: describeChat(config),
    },
    'core is listening',
  );
  const forget = announce({ port, url, servedBy });
  await stopped;
  forget();
  logger.info({}, 'core is stopping');
  await server.close();
  await sourceMaps.close();
  return 0;
}

/** Probably mistyped paths; only a warning, because a repository may be cloned later. */
function missingRepositories({ projects }: Config): readonly string[] {
  const paths = Object.values(projects).flatMap(({ repository = '' }) => repository);
  return [...new Set(paths)].filter((path) => isAbsolute(path) && !existsSync(path));
}
