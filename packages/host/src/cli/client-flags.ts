import { type CoreApi, createCoreApi } from '../client/core-api.js';
import { type ClientConfig, readClientConfig } from '../config/client-config.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import type { Flags, ReadFlags } from './read-flags.js';

/** Flags of every command that speaks to running servers. */
export const CLIENT_FLAGS: Flags = {
  url: { value: 'URL', meaning: 'core (CULPRIT_URL; default: the one configured here)' },
  token: { value: 'TOKEN', meaning: 'a reviewer’s token; better CULPRIT_TOKEN, which no process list shows' },
  data: { value: 'DIR', meaning: 'where generated secrets and the spool are (DATA_DIR; default .culprit)' },
  config: { value: 'FILE', meaning: 'settings as JSON (CULPRIT_CONFIG; default culprit.json)' },
};
export const EDGE_FLAGS: Flags = {
  'edge-url': { value: 'URL', meaning: 'the edge (CULPRIT_EDGE_URL; default: the one configured here)' },
};

export function clientConfig(flags: ReadFlags): ClientConfig {
  return readClientConfig({
    url: flags.text('url'),
    edgeUrl: flags.text('edge-url'),
    token: flags.text('token'),
    data: flags.text('data'),
    config: flags.text('config'),
  });
}

export function connect(flags: ReadFlags): CoreApi {
  const { coreUrl, token } = clientConfig(flags);
  if (token === null) {
    throw new CommandFailure(
      'No reviewer token is known here. Set CULPRIT_TOKEN, or run this where culprit.json and .culprit are.',
      EXIT.refused,
    );
  }
  return createCoreApi({ url: coreUrl, token });
}
