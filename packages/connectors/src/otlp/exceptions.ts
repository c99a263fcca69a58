import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue, ParsedCrash, ParsedDelivery } from '@culprit/core';
import type { OtlpConfig } from './config.js';
import type { Attributes, Origin, TelemetrySink } from './telemetry.js';

/** Semantic conventions for exceptions: an exception has a type or a message, or both. */
const TYPE = 'exception.type';
const MESSAGE = 'exception.message';
const STACK = 'exception.stacktrace';
const EXCEPTION = new Set([TYPE, MESSAGE, STACK, 'exception.escaped']);
/** Other attributes that are kept with a crash. */
const MOST_ATTRIBUTES = 64;

/** One place where an exception was recorded. */
interface Recorded {
  readonly origin: Origin;
  readonly attributes: Attributes;
  /** Attributes of the span around it. */
  readonly span: Attributes;
  readonly transaction: string | null;
  readonly trace_id: string;
  readonly span_id: string;
  readonly time_unix_nano: number;
  readonly level: string;
}

export interface ExceptionCollector extends TelemetrySink {
  /** What was collected, each exception once. `itemBytes`: crashes with more bytes of JSON are rejected. */
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
  const add = (record: Recorded) => {
    const id = eventIdOf(record);
    const known = found.get(id);
    if (known === undefined) found.set(id, record);
    else {
      ignore('otlp_repeated_exception');
      if (stackOf(record).length > stackOf(known).length) found.set(id, record);
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
      });
    },
    span(origin, { trace_id, span_id, name, attributes, events }) {
      const exceptions = events.filter(
        (event) => event.name === 'exception' && isException(event.attributes),
      );
      if (exceptions.length === 0) ignore('otlp_span');
      for (const { attributes: own, time_unix_nano } of exceptions) {
        const transaction = textOf(attributes['http.route']) ?? name;
        add({
          origin,
          attributes: own,
          span: attributes,
          transaction,
          trace_id,
          span_id,
          time_unix_nano,
          level: 'error',
        });
      }
    },
    finish(itemBytes) {
      const crashes: ParsedCrash[] = [];
      let rejected = 0;
      for (const [event_id, record] of found) {
        const crash = crashOf(record);
        const bytes = Buffer.byteLength(JSON.stringify(crash));
        if (bytes > itemBytes) {
          rejected += 1;
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
      const reason = `${rejected} exceptions are larger than ${itemBytes} bytes and were not stored.`;
      return {
        crashes,
        ignored,
        event_id: null,
        ...(rejected > 0 ? { rejected: { count: rejected, reason } } : {}),
      };
    },
  };
}

function isException(attributes: Attributes): boolean {
  return textOf(attributes[TYPE]) !== null || textOf(attributes[MESSAGE]) !== null;
}

/** Equal for all records of one exception, also when an exporter sends a request again. */
function eventIdOf({ origin, attributes, trace_id, time_unix_nano }: Recorded): string {
  const what = [textOf(attributes[TYPE]), textOf(attributes[MESSAGE])];
  const { resource } = origin;
  const where =
    trace_id === ''
      ? [
          resource['service.name'],
          resource['service.instance.id'],
          resource['host.name'],
          time_unix_nano,
          textOf(attributes[STACK]),
        ]
      : [trace_id];
  return createHash('sha256')
    .update(JSON.stringify([...where, ...what]))
    .digest('hex')
    .slice(0, 32);
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
    exception: { values: [present({ type: textOf(attributes[TYPE]), value: textOf(attributes[MESSAGE]) })] },
    stack: textOf(attributes[STACK]),
    tags,
    request: requestOf({ ...span, ...attributes }),
    user: userOf({ ...span, ...attributes }),
    contexts:
      trace_id === '' ? null : { trace: present({ trace_id, span_id: span_id === '' ? null : span_id }) },
    extra: rest({ ...span, ...attributes }),
    sdk: present({ name: first('telemetry.sdk.name'), version: first('telemetry.sdk.version') }),
  });
}

const present = (members: Readonly<Record<string, JsonValue>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

function requestOf(attributes: Attributes): JsonValue {
  const method = textOf(attributes['http.request.method']) ?? textOf(attributes['http.method']);
  const url =
    textOf(attributes['url.full']) ?? textOf(attributes['url.path']) ?? textOf(attributes['http.url']);
  return method === null && url === null ? null : present({ method, url });
}

function userOf(attributes: Attributes): JsonValue {
  const id = textOf(attributes['user.id']) ?? textOf(attributes['enduser.id']);
  return id === null ? null : { id };
}

function rest(attributes: Attributes): JsonValue {
  const others = Object.entries(attributes).filter(([name]) => !EXCEPTION.has(name));
  return others.length === 0 ? null : Object.fromEntries(others.slice(0, MOST_ATTRIBUTES));
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
