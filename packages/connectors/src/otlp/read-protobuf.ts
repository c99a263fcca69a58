import type { JsonValue } from '@culprit/core';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { PbfReader } from 'pbf';
import type { Attributes, LogRecord, Origin, Signal, Span, SpanEvent, TelemetrySink } from './telemetry.js';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
/** Deeper values of attributes are left out. */
const DEEPEST_VALUE = 8;
/** An empty record takes two bytes of the body, and much more memory. Collectors send some 8,000 at once. */
const MOST_RECORDS = 50_000;

/**
 * Reads an ExportLogsServiceRequest or ExportTraceServiceRequest (opentelemetry-proto 1.x, `collector/…/v1`). Unknown fields
 * are skipped. Throws `malformed` if the bytes are no such message, and `too_large` if it has more than `MOST_RECORDS`.
 */
export function readProtobuf(signal: Signal, body: Uint8Array, sink: TelemetrySink): void {
  const message = new Message(new PbfReader(body), body.length);
  try {
    let records = 0;
    const count = () => {
      records += 1;
      if (records > MOST_RECORDS) throw tooMany();
    };
    message.fields({
      1: () => {
        count();
        readResourceItems(signal, message.child(), sink, count);
      },
    });
  } catch (error) {
    if (isCulpritError(error)) throw error;
    throw new CulpritError('malformed', 'The body is not a valid OTLP protobuf message.', { cause: error });
  }
}

function tooMany(): CulpritError {
  const detail = `The request has more than ${MOST_RECORDS} records. Send smaller batches.`;
  return new CulpritError('too_large', detail);
}

/** A message inside its bounds. `pbf` itself trusts every length, and would read zeros beyond the end of the bytes. */
class Message {
  constructor(
    private readonly reader: PbfReader,
    readonly end: number,
  ) {}

  /** Calls the handler of each field; a handler that reads nothing skips the field. */
  fields(handlers: Readonly<Record<number, () => void>>): void {
    if (this.end > this.reader.length) throw new RangeError('a message ends outside its parent');
    this.reader.readFields((field) => handlers[field]?.(), null, this.end);
    if (this.reader.pos !== this.end) throw new RangeError('a field ends outside its message');
  }

  /** The nested message at this field. */
  child(): Message {
    this.expect(BYTES);
    const end = this.reader.readVarint() + this.reader.pos;
    if (end > this.end) throw new RangeError('a message ends outside its parent');
    return new Message(this.reader, end);
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }

  hex(): string {
    return Buffer.from(this.bytes()).toString('hex');
  }

  base64(): string {
    return Buffer.from(this.bytes()).toString('base64');
  }

  whole(): number {
    this.expect(VARINT);
    return this.reader.readVarint(true);
  }

  fixed64(): number {
    this.expect(FIXED64);
    return this.reader.readFixed64();
  }

  double(): number {
    this.expect(FIXED64);
    return this.reader.readDouble();
  }

  private bytes(): Uint8Array {
    this.expect(BYTES);
    const length = this.reader.readVarint();
    if (length + this.reader.pos > this.end) throw new RangeError('a value ends outside its message');
    const { pos } = this.reader;
    this.reader.pos = pos + length;
    return this.reader.buf.subarray(pos, pos + length);
  }

  private expect(type: number): void {
    if (this.reader.type !== type) throw new TypeError('a field has another wire type');
  }
}

/** ResourceLogs or ResourceSpans. The resource may come after the items it belongs to. */
function readResourceItems(signal: Signal, message: Message, sink: TelemetrySink, count: () => void): void {
  let resource: Attributes = {};
  const items: (() => void)[] = [];
  message.fields({
    1: () => {
      resource = readAttributesOf(message.child(), 1);
    },
    2: () => {
      count();
      const { scope, logs, spans } = readScope(signal, message.child(), count);
      items.push(() => {
        const origin: Origin = { resource, scope };
        for (const log of logs) sink.log(origin, log);
        for (const span of spans) sink.span(origin, span);
      });
    },
  });
  for (const give of items) give();
}

function readScope(signal: Signal, message: Message, count: () => void) {
  let scope = '';
  const logs: LogRecord[] = [];
  const spans: Span[] = [];
  message.fields({
    1: () => {
      const named = message.child();
      named.fields({
        1: () => {
          scope = named.text();
        },
      });
    },
    2: () => {
      count();
      if (signal === 'logs') logs.push(readLog(message.child()));
      else spans.push(readSpan(message.child(), count));
    },
  });
  return { scope, logs, spans };
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

function readLog(message: Message): LogRecord {
  const attributes: Record<string, JsonValue> = {};
  const log: Open<LogRecord> = {
    time_unix_nano: 0,
    observed_time_unix_nano: 0,
    severity_number: 0,
    body: null,
    attributes,
    trace_id: '',
    span_id: '',
  };
  message.fields({
    1: () => {
      log.time_unix_nano = message.fixed64();
    },
    2: () => {
      log.severity_number = message.whole();
    },
    5: () => {
      log.body = readValue(message.child());
    },
    6: () => readAttribute(message.child(), attributes),
    9: () => {
      log.trace_id = message.hex();
    },
    10: () => {
      log.span_id = message.hex();
    },
    11: () => {
      log.observed_time_unix_nano = message.fixed64();
    },
  });
  return log;
}

function readSpan(message: Message, count: () => void): Span {
  const attributes: Record<string, JsonValue> = {};
  const events: SpanEvent[] = [];
  const span: Open<Span> = { trace_id: '', span_id: '', name: '', attributes, events };
  message.fields({
    1: () => {
      span.trace_id = message.hex();
    },
    2: () => {
      span.span_id = message.hex();
    },
    5: () => {
      span.name = message.text();
    },
    9: () => readAttribute(message.child(), attributes),
    11: () => {
      count();
      events.push(readEvent(message.child()));
    },
  });
  return span;
}

function readEvent(message: Message): SpanEvent {
  const attributes: Record<string, JsonValue> = {};
  const event: Open<SpanEvent> = { time_unix_nano: 0, name: '', attributes };
  message.fields({
    1: () => {
      event.time_unix_nano = message.fixed64();
    },
    2: () => {
      event.name = message.text();
    },
    3: () => readAttribute(message.child(), attributes),
  });
  return event;
}

/** The attributes in field `field` of a message. */
function readAttributesOf(message: Message, field: number, depth = 0): Attributes {
  const attributes: Record<string, JsonValue> = {};
  message.fields({ [field]: () => readAttribute(message.child(), attributes, depth) });
  return attributes;
}

/** A KeyValue. The first value of a repeated key is kept. */
function readAttribute(message: Message, into: Record<string, JsonValue>, depth = 0): void {
  let key = '';
  let value: JsonValue = null;
  message.fields({
    1: () => {
      key = message.text();
    },
    2: () => {
      value = readValue(message.child(), depth);
    },
  });
  if (!Object.hasOwn(into, key) && key !== '__proto__') into[key] = value;
}

/** An AnyValue. */
function readValue(message: Message, depth = 0): JsonValue {
  let value: JsonValue = null;
  const set = (read: () => JsonValue) => () => {
    value = read();
  };
  if (depth > DEEPEST_VALUE) {
    message.fields({});
    return null;
  }
  message.fields({
    1: set(() => message.text()),
    2: set(() => message.whole() !== 0),
    3: set(() => message.whole()),
    4: set(() => finite(message.double())),
    5: set(() => readList(message.child(), depth + 1)),
    6: set(() => ({ ...readAttributesOf(message.child(), 1, depth + 1) })),
    7: set(() => message.base64()),
  });
  return value;
}

function readList(message: Message, depth: number): JsonValue {
  const list: JsonValue[] = [];
  message.fields({ 1: () => list.push(readValue(message.child(), depth)) });
  return list;
}

const finite = (value: number): JsonValue => (Number.isFinite(value) ? value : String(value));
