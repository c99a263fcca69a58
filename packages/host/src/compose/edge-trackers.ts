import { otlp } from '@culprit/connectors/otlp';
import { sentry } from '@culprit/connectors/sentry';
import { sentryHook } from '@culprit/connectors/sentry-hook';
import { errortracker, native } from '@culprit/connectors/signed-json';
import { standardWebhooks } from '@culprit/connectors/standard-webhooks';
import { type Connector, CulpritError, type Logger } from '@culprit/core';
import type { Tracker } from '@culprit/core/connector';
import type { Config } from '../config/config.js';
import { DOOR_SETTINGS, type HookSecret } from '../config/credentials.js';
import { type LoadedConnector, mayProvide } from './external-connectors.js';

/** The doors' trackers by connector id. A door without a credential has no tracker and is closed. */
export async function composeTrackers(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  external: readonly LoadedConnector[] = [],
): Promise<ReadonlyMap<string, Tracker>> {
  const connectors = [
    ...builtInTrackers(config),
    ...external.filter(mayProvide('tracker')).map(({ connector }) => connector),
  ];
  const trackers = new Map<string, Tracker>();
  for (const connector of connectors) {
    if (trackers.has(connector.id)) {
      throw new CulpritError('configuration', `Two connectors have the id "${connector.id}". Remove one.`);
    }
    const { tracker } = await connector.setup({ fetch: globalThis.fetch, logger, signal });
    if (tracker !== undefined) trackers.set(connector.id, tracker);
  }
  return trackers;
}

function builtInTrackers(config: Config): readonly Connector[] {
  const { sentryHookTolerance, standardWebhookTolerance: toleranceSeconds } = config;
  const secrets = (entries: readonly HookSecret[]) =>
    entries.map(({ project, secret }) => ({ project, secret: secret.reveal() }));
  const tokens = config.serviceTokens.map((one) => ({ ...one, token: one.token.reveal() }));
  const tolerance = sentryHookTolerance === null ? {} : { toleranceSeconds: sentryHookTolerance };
  const doors: Readonly<Record<keyof typeof DOOR_SETTINGS, () => Connector>> = {
    errortracker: () => errortracker({ secrets: secrets(config.trackerHookSecret) }),
    native: () => native({ tokens }),
    otlp: () => otlp({ tokens, services: [...config.otlpServices] }),
    sentry: () => sentry({ keys: [...config.sdkKeys], tunnels: [...config.sdkTunnels] }),
    'sentry-hook': () => sentryHook({ secrets: secrets(config.sentryHookSecrets), ...tolerance }),
    'standard-webhooks': () =>
      standardWebhooks({ secrets: secrets(config.standardWebhookSecrets), toleranceSeconds }),
  };
  const ids = Object.keys(doors) as (keyof typeof DOOR_SETTINGS)[];
  return ids.flatMap((id) => (config[DOOR_SETTINGS[id]].length > 0 ? doors[id]() : []));
}
