import { defineConnector, isCulpritError } from '@culprit/core/connector';
import { problem } from '@culprit/core/internal/errors/error';
import { sentryConfig } from './config.js';
import { parseEnvelope } from './envelope.js';
import { readItems, readStoreEvent } from './items.js';
import { isEnvelope, keyVerifier } from './verify.js';

export { type DecodeOptions, decodeBody, isEncoded, type Unpacker, unpackBody } from '../shared/decode.js';
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

/** Refusals in the format that SDKs print. */
export interface SdkError {
  readonly detail: string;
  readonly causes?: readonly string[];
}

/** The body of a refusal in the SDKs' format; `causes` is omitted if empty. */
export function sdkError(detail: string, causes: readonly string[] = []): SdkError {
  return causes.length === 0 ? { detail } : { detail, causes };
}

/** Status and body for an error of `parse`. Errors other than CulpritError reveal nothing. */
export function sdkErrorOf(error: unknown): { readonly status: number; readonly body: SdkError } {
  const { status, detail } = problem(error);
  if (!isCulpritError(error, 'malformed')) return { status, body: sdkError(detail) };
  if (detail === 'empty request body') return { status, body: sdkError(detail) };
  return { status, body: sdkError('invalid event envelope', [detail]) };
}
