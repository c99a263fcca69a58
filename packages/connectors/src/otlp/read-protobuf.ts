import type { JsonValue } from '@culprit/core';
import { CulpritError, isCulpritError } from '@culprit/core/connector';
import { PbfReader } from 'pbf';
import type { Attributes, LogRecord, Signal, Span, SpanEvent, TelemetrySink } from './telemetry.js';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
/** Deeper values of attributes are left out. */
const DEEPEST_VALUE = 8;
/** An empty record takes two bytes of the body, and much more memory. Collectors send some 8,000 at once. */
const MAX_RECORDS = 50_000;

/**
 * Reads an ExportLogsServiceRequest or ExportTraceServiceRequest (opentelemetry-proto 1.x, `collector/…/v1`). Unknown fields
 * are skipped. Throws `malformed` if the bytes are no such message, and `too_large` if it has more than `MAX_RECORDS`.
 */
export function readProtobuf(signal: Signal, body: Uint8Array, sink: TelemetrySink): void {
  const message = new Message(new PbfReader(body), body.length, { records: 0 });
  try {
    message.fields((field) => {
      if (field === 1) readResourceItems(signal, message.record(), sink);
    });
  } catch (error) {
    if (isCulpritError(error)) throw error;
    throw new CulpritError('malformed', 'The body is not a valid OTLP protobuf message.', { cause: error });
  }
}

/** A message inside its bounds. `pbf` itself trusts every length, and would read zeros beyond the end of the bytes. */
class Message {
  constructor(
    private readonly reader: PbfReader,
    readonly end: number,
    /** Of the whole request. */
    private readonly read: { records: number },
  ) {}

  /** Calls `take` for each field; one that it does not read is skipped. */
  fields(take: (field: number) => void): void {
    if (this.end > this.reader.length) throw new RangeError('a message ends outside its parent');
    this.reader.readFields(take, null, this.end);
    if (this.reader.pos !== this.end) throw new RangeError('a field ends outside its message');
  }

  /** Reads the fields that a table describes into an object with their default values. */
  into<T extends object>(target: T, fields: Fields<T>): T {
    this.fields((field) => {
      const [name, value] = fields[field] ?? [];
      if (name !== undefined && value !== undefined) target[name] = value(this, target[name]);
    });
    return target;
  }

  /** A nested message that counts as a record. */
  record(): Message {
    this.read.records += 1;
    if (this.read.records <= MAX_RECORDS) return this.child();
    const detail = `The request has more than ${MAX_RECORDS} records. Send smaller batches.`;
    throw new CulpritError('too_large', detail);
  }

  /** The nested message at this field. */
  child(): Message {
    this.expect(BYTES);
    const end = this.reader.readVarint() + this.reader.pos;
    if (end > this.end) throw new RangeError('a message ends outside its parent');
    return new Message(this.reader, end, this.read);
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

/** By field number: the member, and how it is read, given what was read for it before. */
type Fields<T> = Readonly<Record<number, { [Name in keyof T]: readonly [Name, Read<T[Name]>] }[keyof T]>>;
type Read<Value> = (message: Message, before: Value) => Value;
type Open<T> = { -readonly [Name in keyof T]: T[Name] };

const text = (message: Message) => message.text();
const hex = (message: Message) => message.hex();
const time = (message: Message) => message.fixed64();
const attribute = (message: Message, before: Attributes) => readAttribute(message.child(), before);

const LOG: Fields<Open<LogRecord>> = {
  1: ['time_unix_nano', time],
  2: ['severity_number', (message: Message) => message.whole()],
  5: ['body', (message: Message) => readValue(message.child())],
  6: ['attributes', attribute],
  9: ['trace_id', hex],
  10: ['span_id', hex],
  11: ['observed_time_unix_nano', time],
};
const EVENT: Fields<Open<SpanEvent>> = {
  1: ['time_unix_nano', time],
  2: ['name', text],
  3: ['attributes', attribute],
};
type GrowingSpan = Omit<Open<Span>, 'events'> & { events: SpanEvent[] };
const SPAN: Fields<GrowingSpan> = {
  1: ['trace_id', hex],
  2: ['span_id', hex],
  5: ['name', text],
  9: ['attributes', attribute],
  11: ['events', (message: Message, before: SpanEvent[]) => added(before, readEvent(message.record()))],
};
interface Entry {
  key: string;
  value: JsonValue;
}

function added<Item>(items: Item[], item: Item): Item[] {
  items.push(item);
  return items;
}

/** ResourceLogs or ResourceSpans. The resource may come after the items it belongs to. */
function readResourceItems(signal: Signal, message: Message, sink: TelemetrySink): void {
  let resource: Attributes = {};
  const items: ((resource: Attributes) => void)[] = [];
  message.fields((field) => {
    if (field === 1) resource = readAttributesOf(message.child());
    if (field === 2) items.push(readScope(signal, message.record(), sink));
  });
  for (const give of items) give(resource);
}

/** Gives what it has to the sink once its resource is known. */
function readScope(signal: Signal, message: Message, sink: TelemetrySink): (resource: Attributes) => void {
  let scope = '';
  const logs: LogRecord[] = [];
  const spans: Span[] = [];
  message.fields((field) => {
    if (field === 1) scope = message.child().into({ scope }, { 1: ['scope', text] }).scope;
    else if (field !== 2) return;
    else if (signal === 'logs') logs.push(readLog(message.record()));
    else spans.push(readSpan(message.record()));
  });
  return (resource) => {
    for (const log of logs) sink.log({ resource, scope }, log);
    for (const span of spans) sink.span({ resource, scope }, span);
  };
}

const readLog = (message: Message): LogRecord => {
  const times = { time_unix_nano: 0, observed_time_unix_nano: 0 };
  const empty = { severity_number: 0, body: null, attributes: {}, trace_id: '', span_id: '' };
  return message.into<Open<LogRecord>>({ ...times, ...empty }, LOG);
};

const readSpan = (message: Message): Span =>
  message.into<GrowingSpan>({ trace_id: '', span_id: '', name: '', attributes: {}, events: [] }, SPAN);

const readEvent = (message: Message): SpanEvent =>
  message.into<Open<SpanEvent>>({ time_unix_nano: 0, name: '', attributes: {} }, EVENT);

/** The attributes in the first field of a message. */
function readAttributesOf(message: Message, depth = 0): Attributes {
  const attributes: Attributes = {};
  message.fields((field) => {
    if (field === 1) readAttribute(message.child(), attributes, depth);
  });
  return attributes;
}

/** Adds a KeyValue. The first value of a repeated key is kept. */
function readAttribute(message: Message, into: Attributes, depth = 0): Attributes {
  const value: Read<JsonValue> = (entry) => readValue(entry.child(), depth);
  const found = message.into<Entry>({ key: '', value: null }, { 1: ['key', text], 2: ['value', value] });
  if (!Object.hasOwn(into, found.key) && found.key !== '__proto__')
    (into as Record<string, JsonValue>)[found.key] = found.value;
  return into;
}

/** An AnyValue: of its fields the last one counts. */
function readValue(message: Message, depth = 0): JsonValue {
  let value: JsonValue = null;
  message.fields((field) => {
    const read = depth > DEEPEST_VALUE ? undefined : VALUES[field];
    if (read !== undefined) value = read(message, depth + 1);
  });
  return value;
}

const VALUES: Readonly<Record<number, (message: Message, depth: number) => JsonValue>> = {
  1: text,
  2: (message) => message.whole() !== 0,
  3: (message) => message.whole(),
  4: (message) => finite(message.double()),
  5: (message, depth) => readList(message.child(), depth),
  6: (message, depth) => ({ ...readAttributesOf(message.child(), depth) }),
  7: (message) => message.base64(),
};

function readList(message: Message, depth: number): JsonValue {
  const list: JsonValue[] = [];
  message.fields((field) => {
    if (field === 1) list.push(readValue(message.child(), depth));
  });
  return list;
}

const finite = (value: number): JsonValue => (Number.isFinite(value) ? value : String(value));
