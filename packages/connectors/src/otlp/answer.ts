import { type CulpritError, isCulpritError, problem, type RejectedCrashes } from '@culprit/core';
import { PbfWriter } from 'pbf';
import type { Encoding, Signal } from './telemetry.js';

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
