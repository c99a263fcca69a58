import { sentry } from '@culprit/connectors/sentry';
import { sentryHook } from '@culprit/connectors/sentry-hook';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { standardWebhooks } from '@culprit/connectors/standard-webhooks';
import { type Connector, CulpritError, type Logger, type Tracker } from '@culprit/core';
import type { Config } from '../config/config.js';
import type { HookSecret } from '../config/formats.js';
import { type LoadedConnector, mayBring } from './external-connectors.js';

/** The doors' trackers by connector id. A door without a credential is left out, and so is closed. */
export async function composeTrackers(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  own: readonly LoadedConnector[] = [],
): Promise<ReadonlyMap<string, Tracker>> {
  const connectors: Connector[] = [];
  if (config.hookSecrets.length > 0) {
    connectors.push(errortracker({ secrets: revealed(config.hookSecrets) }));
  }
  if (config.serviceTokens.length > 0) {
    const tokens = config.serviceTokens.map(({ project, name, token }) => ({
      project,
      name,
      token: token.reveal(),
    }));
    connectors.push(native({ tokens }));
  }
  const { sentryHook: hook, standardWebhooks: webhooks, tunnels } = config.ingest;
  if (config.sdkKeys.length > 0) {
    connectors.push(sentry({ keys: [...config.sdkKeys], tunnels: [...tunnels] }));
  }
  if (hook.secrets.length > 0) {
    const tolerance = hook.toleranceSeconds === null ? {} : { toleranceSeconds: hook.toleranceSeconds };
    connectors.push(sentryHook({ secrets: revealed(hook.secrets), ...tolerance }));
  }
  if (webhooks.secrets.length > 0) {
    const { toleranceSeconds } = webhooks;
    connectors.push(standardWebhooks({ secrets: revealed(webhooks.secrets), toleranceSeconds }));
  }
  connectors.push(...own.filter(mayBring('tracker')).map(({ connector }) => connector));
  const trackers = new Map<string, Tracker>();
  for (const connector of connectors) {
    if (trackers.has(connector.id)) {
      throw new CulpritError('configuration', `Two connectors have the id "${connector.id}"; leave one out.`);
    }
    const { tracker } = await connector.setup({ fetch: globalThis.fetch, logger, signal });
    if (tracker !== undefined) trackers.set(connector.id, tracker);
  }
  return trackers;
}

function revealed(secrets: readonly HookSecret[]) {
  return secrets.map(({ project, secret }) => ({ project, secret: secret.reveal() }));
}
