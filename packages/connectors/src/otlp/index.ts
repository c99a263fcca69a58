import { CulpritError, defineConnector, isCulpritError, type RawDelivery } from '@culprit/core/connector';
import { problem } from '@culprit/core/internal/errors/error';
import type { RejectedCrashes } from '@culprit/core/internal/ports/tracker';
import { PbfWriter } from 'pbf';
import { TOKEN_HEADER, tokenVerifier } from '../shared/credentials.js';
import { otlpConfig } from './config.js';
import { collectExceptions } from './exceptions.js';
import { readJson } from './read-json.js';
import { readProtobuf } from './read-protobuf.js';
import type { Encoding, Signal } from './telemetry.js';

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

/** An HTTP response in the encoding of its request. */
export interface OtlpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

const CONTENT_TYPES: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

/** The encoding that a request's `Content-Type` names; `null` for any other. */
export function encodingOf(contentType: string | undefined): Encoding | null {
  const [type = ''] = (contentType ?? '').split(';');
  switch (type.trim().toLowerCase()) {
    case 'application/json':
      return 'json';
    case 'application/x-protobuf':
    case 'application/protobuf':
      return 'protobuf';
    default:
      return null;
  }
}

const REJECTED_FIELD: Readonly<Record<Signal, string>> = {
  logs: 'rejectedLogRecords',
  traces: 'rejectedSpans',
};

/** ExportLogsServiceResponse or ExportTraceServiceResponse: 200, with what was rejected, if anything was. */
export function otlpAccepted(signal: Signal, encoding: Encoding, rejected?: RejectedCrashes): OtlpAnswer {
  const headers = { 'content-type': CONTENT_TYPES[encoding] };
  if (encoding === 'json') {
    const partialSuccess = rejected && {
      [REJECTED_FIELD[signal]]: String(rejected.count),
      errorMessage: rejected.reason,
    };
    return { status: 200, headers, body: JSON.stringify(partialSuccess ? { partialSuccess } : {}) };
  }
  const writer = new PbfWriter();
  if (rejected)
    writer.writeMessage(
      1,
      (partial: RejectedCrashes, pbf: PbfWriter) => {
        pbf.writeVarintField(1, partial.count);
        pbf.writeStringField(2, partial.reason);
      },
      rejected,
    );
  return { status: 200, headers, body: writer.finish() };
}

/** The gRPC code of a status, as in google.rpc.Status. 404 is a signal that is not implemented. */
const CODES: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 12, 413: 3, 429: 8 };
const UNAVAILABLE = 14;

/**
 * A google.rpc.Status in the request's encoding. Exporters repeat a request only after 429, 502, 503 and 504, so whatever may
 * succeed later is one of these.
 */
export function otlpRefused(
  encoding: Encoding,
  error: unknown,
  retryAfterSeconds: number | null,
): OtlpAnswer {
  const document = problem(error);
  const known: CulpritError | null = isCulpritError(error) ? error : null;
  const status = document.status >= 500 || known?.code === 'timed_out' ? 503 : document.status;
  const headers = {
    'content-type': CONTENT_TYPES[encoding],
    ...(retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  const code = CODES[status] ?? UNAVAILABLE;
  const message = document.detail ?? document.title;
  if (encoding === 'json') return { status, headers, body: JSON.stringify({ code, message }) };
  const writer = new PbfWriter();
  writer.writeVarintField(1, code);
  writer.writeStringField(2, message);
  return { status, headers, body: writer.finish() };
}
