import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@culprit/core';
import type { ParsedDelivery, RawDelivery } from '@culprit/core/connector';
import { isJsonObject, readCrashJson } from '../shared/json-body.js';

/** Sentry's resources that contain no crash. Others count as `unknown`. */
const RESOURCES = new Set(
  'installation issue metric_alert comment activity_alert seer preprod_artifact event_alert error'.split(' '),
);
const EVENT_ID = /^[0-9a-f]{32}$/;

/**
 * `event_alert.triggered` and `error.created` contain a whole event. `issue.created` contains only a summary, from which a
 * crash without a stack is made. Everything else is acknowledged and counted by resource.
 */
export function parseHook(raw: RawDelivery): ParsedDelivery {
  const id = raw.headers['request-id'];
  const parsed = parseResource(raw);
  return id === undefined || id === '' ? parsed : { ...parsed, delivery_id: id };
}

function parseResource({ headers, body }: RawDelivery): ParsedDelivery {
  const hook = readCrashJson(body);
  const resource = headers['sentry-hook-resource'] ?? '';
  const data = objectOf(hook.data);
  if (resource === 'event_alert') return found(objectOf(data.event), resource);
  if (resource === 'error') return found(objectOf(data.error), resource);
  if (resource === 'issue' && hook.action === 'created') return fromIssue(objectOf(data.issue));
  return ignored(resource);
}

function found(event: JsonObject, resource: string): ParsedDelivery {
  const crash = crashOf(event);
  if (isJsonObject(event.occurrence) || !CRASH_MEMBERS.some((name) => hasValue(crash[name])))
    return ignored(resource);
  return delivery(idOf(event.event_id), crash);
}

/** Slow queries, missed check-ins and the like are `occurrence`s: events without a crash. */
const CRASH_MEMBERS = ['message', 'logentry', 'exception', 'threads', 'stacktrace'];
const hasValue = (value: JsonValue | undefined) => value !== undefined && value !== null && value !== '';

/** Drops what Sentry's server adds, and restores the names that SDKs use. */
function crashOf(event: JsonObject): JsonObject {
  const { datetime, received, ...rest } = event;
  const crash: Record<string, JsonValue | undefined> = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !SERVER_MEMBERS.has(name)),
  );
  crash.timestamp ??= datetime ?? received;
  // In processed events `message` may be empty beside the exception that holds it, or beside a title.
  if (crash.message === '') delete crash.message;
  if (!CRASH_MEMBERS.some((name) => hasValue(crash[name])) && hasValue(event.title))
    crash.message = event.title;
  return crash;
}

const SERVER_MEMBERS = new Set(
  (
    'issue_id issue_url url web_url project location metadata nodestore_insert key_id hashes ' +
    'grouping_config type title version _ref _ref_version _metrics time_spent occurrence'
  ).split(' '),
);

/** A summary has no stack, only type, value and location. */
function fromIssue(issue: JsonObject): ParsedDelivery {
  const category = issue.issueCategory;
  if (Object.keys(issue).length === 0 || (category !== undefined && category !== 'error'))
    return ignored('issue');
  const { type, value } = objectOf(issue.metadata);
  const hasException = typeof type === 'string' || typeof value === 'string';
  return delivery(issueEventId(issue), {
    message: typeof issue.title === 'string' ? issue.title : null,
    ...(hasException ? { exception: { values: [{ type: type ?? null, value: value ?? null }] } } : {}),
    ...pick(issue, ['level', 'platform', 'logger', 'culprit']),
    timestamp: issue.lastSeen ?? issue.firstSeen ?? null,
    extra: { sentry_issue: pick(issue, ['id', 'shortId', 'permalink', 'web_url']) },
  });
}

/**
 * Sentry repeats a delivery with a new `Request-ID`, and an issue is created once, so the crash made from it has one id.
 * Issues of another server may have the same number, but not the same address.
 */
function issueEventId({ id, url, web_url, permalink }: JsonObject): string | null {
  if (id === undefined || id === null) return null;
  const named = JSON.stringify(['issue.created', url ?? web_url ?? permalink ?? null, id]);
  return createHash('sha256').update(named).digest('hex').slice(0, 32);
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]),
  );
}

function delivery(id: string | null, crash: JsonObject): ParsedDelivery {
  return { crashes: [{ event_id: id, crash, attachments: [] }], ignored: {}, event_id: id };
}

function ignored(resource: string): ParsedDelivery {
  return { crashes: [], ignored: { [RESOURCES.has(resource) ? resource : 'unknown']: 1 }, event_id: null };
}

function idOf(value: JsonValue | undefined): string | null {
  const id = typeof value === 'string' ? value.replaceAll('-', '').toLowerCase() : '';
  return EVENT_ID.test(id) ? id : null;
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
