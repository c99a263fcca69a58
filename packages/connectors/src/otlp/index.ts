import { CulpritError, defineConnector, type RawDelivery, type Verification } from '@culprit/core';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import { encodingOf } from './answer.js';
import { type OtlpConfig, otlpConfig } from './config.js';
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
      verify: tokenVerifier(config),
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

/** A service token in `x-service-token`, or as a bearer token, which is what most exporters can be given. */
function tokenVerifier(config: OtlpConfig): (delivery: RawDelivery) => Verification {
  const tokens = config.tokens
    .filter(({ token }) => token !== '')
    .map(({ project, name, token }) => ({ project, name, fingerprint: fingerprintOf(token) }));
  return ({ headers }) => {
    const token = headers['x-service-token'] ?? BEARER.exec(headers.authorization ?? '')?.[1] ?? '';
    if (token === '') {
      const reason = 'The header x-service-token, or authorization with a bearer token, is missing.';
      return { ok: false, status: 401, reason };
    }
    const found = findCredential(tokens, token);
    if (found === null) return { ok: false, status: 401, reason: 'The request has no active service token.' };
    return { ok: true, project: found.project, credential: `${found.project}/${found.name}` };
  };
}
