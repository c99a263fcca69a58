import { defineConnector } from '@culprit/core';
import { sentryConfig } from './config.js';
import { isEnvelope } from './door.js';
import { parseEnvelope } from './envelope.js';
import { readItems, readStoreEvent } from './items.js';
import { keyVerifier } from './verify.js';

export { type DecodeOptions, decodeBody, isEncoded, type Unpacker, unpackBody } from '../shared/decode.js';
export { type SdkError, sdkError, sdkErrorOf } from './answer.js';
export { type Envelope, type EnvelopeItem, parseEnvelope } from './envelope.js';
export { SENTRY_LIMITS } from './limits.js';
export { type BodyThinner, thinBody } from './thin-body.js';

/** `POST /api/{project}/envelope/` and `/store/`: a drop-in endpoint for Sentry SDKs. */
export const sentry = defineConnector({
  id: 'sentry',
  config: sentryConfig,
  setup: (config) => ({
    tracker: {
      verify: keyVerifier(config),
      parse: (delivery) => {
        const { itemBytes = config.eventBytes } = delivery;
        return isEnvelope(delivery)
          ? readItems(parseEnvelope(delivery.body), itemBytes)
          : readStoreEvent(delivery.body, itemBytes);
      },
    },
  }),
});
