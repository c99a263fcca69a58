import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@culprit/core';
import type { ParsedCrash, ParsedDelivery } from '@culprit/core/connector';
import type { OtlpConfig } from './config.js';
import type { Attributes, Origin, TelemetrySink } from './telemetry.js';

/** Semantic conventions for exceptions: an exception has a type or a message, or both. */
const TYPE = 'exception.type';
const MESSAGE = 'exception.message';
const STACK = 'exception.stacktrace';
const EXCEPTION = new Set([TYPE, MESSAGE, STACK, 'exception.escaped']);
/** Other attributes that are kept with a crash. */
const MAX_ATTRIBUTES = 64;
/**
 * Bytes of JSON of all crashes of a request. The attributes of a resource or a span appear once in the request and belong to each of
 * its exceptions, so the crashes may be much larger than the request.
 */
const MAX_BYTES = 16 * 1024 * 1024;

/** One place where an exception was recorded. */
interface Recorded {
  readonly origin: Origin;
  readonly attributes: Attributes;
  /** What is kept of the attributes of the span around it. */
  readonly span: Attributes;
  readonly transaction: string | null;
  readonly trace_id: string;
  readonly span_id: string;
  readonly time_unix_nano: number;
  readonly level: string;
  /** Of a log record: what the program wrote beside the exception. */
  readonly body: JsonValue;
}

export interface ExceptionCollector extends TelemetrySink {
  /**
   * What was collected, each exception once. `itemBytes`: crashes with more bytes of JSON are rejected, and what is beyond
   * `MAX_BYTES` together.
   */
  finish(itemBytes: number): ParsedDelivery;
}

/**
 * Collects exceptions from log records and span events. An exception that bubbles up is recorded by every span that it
 * passes, and often by a logger too: within a trace, records of equal type and message are one exception, and the longest
 * stack is kept. The same holds between requests, because such records get the same event id.
 */
export function collectExceptions(services: OtlpConfig['services'] = []): ExceptionCollector {
  const projects = new Map(services.map(({ service, project }) => [service, project]));
  const found = new Map<string, Recorded>();
  const ignored: Record<string, number> = {};
  const ignore = (kind: string) => {
    ignored[kind] = (ignored[kind] ?? 0) + 1;
  };
  const instances = new WeakMap<Attributes, string>();
  const instanceOf = ({ resource }: Origin) => {
    const known = instances.get(resource) ?? digestOf(INSTANCE.map((name) => resource[name]));
    instances.set(resource, known);
    return known;
  };
  const add = (record: Recorded) => {
    const id = eventIdOf(record, instanceOf);
    const known = found.get(id);
    if (known === undefined) found.set(id, record);
    else {
      ignore('otlp_repeated_exception');
      const longer = stackOf(record).length > stackOf(known).length ? record : known;
      found.set(id, { ...longer, body: longer.body ?? record.body ?? known.body });
    }
  };
  return {
    log(origin, log) {
      const { attributes, trace_id, span_id, severity_number } = log;
      if (!isException(attributes)) return ignore('otlp_log_record');
      add({
        origin,
        attributes,
        span: {},
        transaction: null,
        trace_id,
        span_id,
        time_unix_nano: log.time_unix_nano || log.observed_time_unix_nano,
        level: levelOf(severity_number),
        body: log.body,
      });
    },
    span(origin, { trace_id, span_id, name, attributes, events }) {
      const exceptions = events.filter(
        (event) => event.name === 'exception' && isException(event.attributes),
      );
      if (exceptions.length === 0) ignore('otlp_span');
      const span = exceptions.length === 0 ? {} : keptOf(attributes);
      const transaction = textOf(attributes['http.route']) ?? name;
      for (const { attributes: own, time_unix_nano } of exceptions) {
        add({
          origin,
          attributes: own,
          span,
          transaction,
          trace_id,
          span_id,
          time_unix_nano,
          level: 'error',
          body: null,
        });
      }
    },
    finish(itemBytes) {
      const crashes: ParsedCrash[] = [];
      const rejected = { large: 0, excess: 0 };
      let left = MAX_BYTES;
      for (const [event_id, record] of found) {
        if (left <= 0) {
          rejected.excess += 1;
          ignore('otlp_excess_exception');
          continue;
        }
        const crash = crashOf(record);
        const bytes = Buffer.byteLength(JSON.stringify(crash));
        left -= bytes;
        if (bytes > itemBytes) {
          rejected.large += 1;
          ignore('otlp_large_exception');
          continue;
        }
        const project = projects.get(textOf(record.origin.resource['service.name']) ?? '');
        crashes.push({
          event_id,
          crash,
          attachments: [],
          bytes,
          ...(project === undefined ? {} : { project }),
        });
      }
      const reasons = [
        rejected.large > 0 && `${rejected.large} exceptions are larger than ${itemBytes} bytes`,
        rejected.excess > 0 && `${rejected.excess} are beyond the ${MAX_BYTES} bytes of one request`,
      ].filter((reason) => reason !== false);
      const count = rejected.large + rejected.excess;
      const reason = `${reasons.join(', and ')} and were not stored.`;
      return { crashes, ignored, event_id: null, ...(count > 0 ? { rejected: { count, reason } } : {}) };
    },
  };
}

function isException(attributes: Attributes): boolean {
  return textOf(attributes[TYPE]) !== null || textOf(attributes[MESSAGE]) !== null;
}

/** What names the sender of a record outside of a trace. */
const INSTANCE = ['service.name', 'service.instance.id', 'host.name'];

/** Equal for all records of one exception, also when an exporter sends a request again. */
function eventIdOf(record: Recorded, instanceOf: (origin: Origin) => string): string {
  const { origin, attributes, trace_id, time_unix_nano } = record;
  const what = [textOf(attributes[TYPE]), textOf(attributes[MESSAGE])];
  const where = trace_id === '' ? [instanceOf(origin), time_unix_nano, stackOf(record)] : [trace_id];
  return digestOf([...where, ...what]);
}

function digestOf(parts: readonly (JsonValue | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

const stackOf = ({ attributes }: Recorded) => textOf(attributes[STACK]) ?? '';

/** The crash object of an exception. */
function crashOf(record: Recorded): JsonObject {
  const { origin, attributes, span, trace_id, span_id } = record;
  const { resource } = origin;
  const first = (...names: readonly string[]) =>
    names.map((name) => textOf(resource[name])).find((text) => text !== null) ?? null;
  const revision = first('vcs.ref.head.revision', 'vcs.repository.ref.revision');
  const tags = present({
    'service.name': first('service.name'),
    'service.namespace': first('service.namespace'),
    'vcs.ref.head.revision': revision,
    'vcs.ref.head.name': first('vcs.ref.head.name', 'vcs.repository.ref.name'),
    'vcs.repository.url.full': first('vcs.repository.url.full'),
  });
  const seconds = record.time_unix_nano / 1e9;
  return present({
    timestamp: seconds > 0 ? new Date(Math.min(seconds * 1_000, 8.64e15)).toISOString() : null,
    level: record.level,
    platform: platformOf(first('telemetry.sdk.language')),
    release: first('service.version'),
    environment: first('deployment.environment.name', 'deployment.environment'),
    server_name: first('host.name', 'service.instance.id', 'k8s.pod.name'),
    transaction: record.transaction,
    logger: origin.scope === '' ? null : origin.scope,
    message: messageOf(record),
    exception: { values: [present({ type: textOf(attributes[TYPE]), value: textOf(attributes[MESSAGE]) })] },
    stack: textOf(attributes[STACK]),
    tags,
    request: requestOf(attributes, span),
    user: userOf(attributes, span),
    contexts:
      trace_id === '' ? null : { trace: present({ trace_id, span_id: span_id === '' ? null : span_id }) },
    extra: rest(attributes, span, record.body),
    sdk: present({ name: first('telemetry.sdk.name'), version: first('telemetry.sdk.version') }),
  });
}

/** What the log record says beside the exception; most say the same. */
function messageOf({ body, attributes }: Recorded): string | null {
  const text = textOf(body ?? undefined);
  return text === textOf(attributes[MESSAGE]) ? null : text;
}

const present = (members: Readonly<Record<string, JsonValue>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const METHOD = ['http.request.method', 'http.method'];
const URL_NAMES = ['url.full', 'url.path', 'http.url'];
const USER = ['user.id', 'enduser.id'];

/** What a crash may keep of a span: once for all its exceptions, because it may have thousands of both. */
function keptOf(span: Attributes): Attributes {
  const read = [...METHOD, ...URL_NAMES, ...USER].filter((name) => Object.hasOwn(span, name));
  const others = Object.keys(span).filter((name) => !EXCEPTION.has(name) && !read.includes(name));
  return Object.fromEntries(
    [...read, ...others.slice(0, MAX_ATTRIBUTES)].map((name) => [name, span[name] ?? null]),
  );
}

/** The first text among these attributes of an exception, or of its span. */
function textAmong(own: Attributes, span: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(own[name] ?? span[name]);
    if (text !== null) return text;
  }
  return null;
}

function requestOf(own: Attributes, span: Attributes): JsonValue {
  const method = textAmong(own, span, METHOD);
  const url = textAmong(own, span, URL_NAMES);
  return method === null && url === null ? null : present({ method, url });
}

function userOf(own: Attributes, span: Attributes): JsonValue {
  const id = textAmong(own, span, USER);
  return id === null ? null : { id };
}

/** Its own attributes come first. */
/** What has no place of its own; a body that is no text is here, too. */
function rest(own: Attributes, span: Attributes, body: JsonValue): JsonValue {
  const others: Record<string, JsonValue> =
    typeof body === 'object' && body !== null ? { 'log.body': body } : {};
  let left = MAX_ATTRIBUTES;
  for (const from of [own, span]) {
    for (const name in from) {
      if (left === 0) break;
      if (EXCEPTION.has(name) || Object.hasOwn(others, name)) continue;
      others[name] = from[name] ?? null;
      left -= 1;
    }
  }
  return Object.keys(others).length === 0 ? null : others;
}

/** Severity numbers: 1 trace, 5 debug, 9 info, 13 warning, 17 error, 21 fatal, each with three steps above. */
function levelOf(severity: number): string {
  if (severity >= 21) return 'fatal';
  if (severity >= 17 || severity <= 0) return 'error';
  if (severity >= 13) return 'warning';
  return severity >= 9 ? 'info' : 'debug';
}

/** `telemetry.sdk.language`, where Culprit's name for the platform differs. */
const PLATFORMS: Readonly<Record<string, string>> = {
  nodejs: 'node',
  webjs: 'javascript',
  dotnet: 'csharp',
  cpp: 'native',
  swift: 'cocoa',
};
const platformOf = (language: string | null) =>
  language === null ? null : (PLATFORMS[language] ?? language);

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
