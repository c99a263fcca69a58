import { CulpritError, defineConnector, type RawDelivery } from '@culprit/core';
import { TOKEN_HEADER, tokenVerifier } from '../shared/service-tokens.js';
import { encodingOf } from './answer.js';
import { otlpConfig } from './config.js';
import { collectExceptions } from './exceptions.js';
import { readJson } from './read-json.js';
import { readProtobuf } from './read-protobuf.js';
import type { Signal } from './telemetry.js';

export { encodingOf, type OtlpAnswer, otlpAccepted, otlpRefused } from './answer.js';
export type { Encoding, Signal } from './telemetry.js';

/** `POST /v1/logs` and `POST /v1/traces`: exceptions from OpenTelemetry SDKs and collectors, over OTLP/HTTP. */
export const otlp = defineConnector({
  id: 'otlp',
  config: otlpConfig,
  setup: (config) => ({
    tracker: {
      verify: tokenVerifier(config.tokens, tokenOf, WHERE),
      parse(delivery) {
        const collector = collectExceptions(config.services);
        const encoding = encodingOf(delivery.headers['content-type']);
        if (encoding === null) {
          throw new CulpritError(
            'malformed',
            'Content-Type must be application/x-protobuf or application/json. OTLP over gRPC is not accepted.',
          );
        }
        const read = encoding === 'json' ? readJson : readProtobuf;
        read(signalOf(delivery.path), delivery.body, collector);
        return collector.finish(delivery.itemBytes ?? Number.POSITIVE_INFINITY);
      },
    },
  }),
});

/** The signal of a request's path. */
export const signalOf = (path: string): Signal => (/\/v1\/traces\/?$/.test(path) ? 'traces' : 'logs');

const BEARER = /^bearer +(\S+)$/i;

/** Most exporters can be given either header. */
function tokenOf(headers: RawDelivery['headers']): string | undefined {
  return headers[TOKEN_HEADER] ?? BEARER.exec(headers.authorization ?? '')?.[1];
}
const WHERE = `The header ${TOKEN_HEADER}, or authorization with a bearer token,`;
