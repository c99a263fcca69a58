import { defineConnector } from '@culprit/core';
import { TOKEN_HEADER, tokenVerifier } from '../shared/service-tokens.js';
import { errortrackerConfig, nativeConfig } from './config.js';
import { parseCrash } from './parse.js';
import { signatureVerifier } from './verify.js';

export { parseCrash };

/** `POST /webhook/errortracker`: crash objects signed with HMAC-SHA256 over the raw body. */
export const errortracker = defineConnector({
  id: 'errortracker',
  config: errortrackerConfig,
  setup: (config) => ({
    tracker: { verify: signatureVerifier(config), parse: parseCrash },
  }),
});

/** `POST /api/v1/telemetry/ingest`: crash objects with a service token. */
export const native = defineConnector({
  id: 'native',
  config: nativeConfig,
  setup: ({ tokens }) => {
    const verify = tokenVerifier(tokens, (headers) => headers[TOKEN_HEADER], `The header ${TOKEN_HEADER}`);
    return { tracker: { verify, parse: parseCrash } };
  },
});
