import type { JsonValue } from '@culprit/core';

/** The signals that can carry exceptions. Metrics and profiles have none. */
export type Signal = 'logs' | 'traces';
/** The encodings of OTLP/HTTP. */
export type Encoding = 'json' | 'protobuf';

/** Values of attributes as JSON; bytes are base64. */
export type Attributes = Readonly<Record<string, JsonValue>>;

/** Where a record comes from. Fields are named as in opentelemetry-proto; an absent field has its default value. */
export interface Origin {
  readonly resource: Attributes;
  /** Name of the instrumentation scope: the logger. */
  readonly scope: string;
}

export interface LogRecord {
  readonly time_unix_nano: number;
  readonly observed_time_unix_nano: number;
  readonly severity_number: number;
  readonly body: JsonValue;
  readonly attributes: Attributes;
  /** Lower-case hex; empty if the record is in no trace. */
  readonly trace_id: string;
  readonly span_id: string;
}

export interface SpanEvent {
  readonly time_unix_nano: number;
  readonly name: string;
  readonly attributes: Attributes;
}

export interface Span {
  readonly trace_id: string;
  readonly span_id: string;
  readonly name: string;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
}

/** Takes the records of one export request. */
export interface TelemetrySink {
  log(origin: Origin, record: LogRecord): void;
  span(origin: Origin, span: Span): void;
}
