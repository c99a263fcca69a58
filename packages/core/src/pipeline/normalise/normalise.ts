import type { Delivery } from '../../domain/delivery.js';
import { type Event, LEVELS, type Level } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import { trustOf } from '../../domain/trust.js';
import { withDebugIds } from './debug-ids.js';
import { exceptionsOf } from './exceptions.js';
import { failureLine, messageOf } from './message.js';
import { asEntries, asObject, asText, asValues, firstText, type Json, objectsOf } from './read.js';
import { environmentTag, fingerprintOf, headersOf, modulesOf, tagsOf } from './tags.js';
import { crashTime } from './time.js';
import { BUDGETS, TEXT_LIMITS, type Trimmer, trimmer } from './trim.js';

/**
 * Converts any crash to an event: Sentry's event in all its historic shapes, the short form, or raw stack text. Never
 * throws: unreadable parts are dropped or stored in `extra`, long values are cut and listed in `trimmed`. Pure: the
 * same delivery gives the same event on any machine.
 */
export function normalise(delivery: Delivery): Event {
  const crash = asObject(delivery.crash as Json) ?? {};
  const trim = trimmer();
  for (const note of delivery.trimmed ?? []) trim.note(note);
  const text = (value: string | null, limit: number, path: string) => trim.text(value, limit, path);
  const { message, template } = messageOf(crash);
  const time = crashTime(crash.timestamp, delivery.received_at);
  if (time.corrected) trim.note('timestamp was replaced by the time of receipt');
  const { exceptions, platform, unread } = exceptionsOf(crash, message, trim);
  return {
    event_id: delivery.event_id,
    project: delivery.project,
    door: delivery.door,
    trust: trustOf(delivery),
    tracker: delivery.tracker,
    timestamp: time.at,
    received_at: delivery.received_at,
    level: levelOf(crash.level),
    platform,
    message: text(
      message ?? (exceptions.length === 0 ? (asText(crash.title) ?? failureLine(unread)) : null),
      TEXT_LIMITS.message,
      'message',
    ),
    message_template: text(template, TEXT_LIMITS.message, 'logentry.message'),
    exceptions: withDebugIds(exceptions, crash),
    release: text(releaseOf(crash), TEXT_LIMITS.short, 'release'),
    dist: text(asText(crash.dist), TEXT_LIMITS.name, 'dist'),
    environment: text(
      asText(crash.environment) ?? environmentTag(crash.tags),
      TEXT_LIMITS.name,
      'environment',
    ),
    commit: commitOf(crash),
    server_name: text(asText(crash.server_name), TEXT_LIMITS.serverName, 'server_name'),
    transaction: text(firstText(crash, 'transaction', 'culprit'), TEXT_LIMITS.short, 'transaction'),
    logger: text(asText(crash.logger), TEXT_LIMITS.name, 'logger'),
    tags: tagsOf(crash.tags, trim),
    user: trim.object(crash.user ?? crash['sentry.interfaces.User'], BUDGETS.user, 'user'),
    request: requestOf(crash, trim),
    contexts:
      trim.object(crash.contexts ?? crash['sentry.interfaces.Contexts'], BUDGETS.contexts, 'contexts') ?? {},
    breadcrumbs: breadcrumbsOf(crash, trim),
    extra: extraOf(crash, unread, trim),
    modules: modulesOf(crash.modules, trim),
    fingerprint: fingerprintOf(crash.fingerprint),
    sdk: sdkOf(crash),
    attachments: delivery.attachments,
    trimmed: trim.notes,
    redactions: delivery.redactions,
    raw_sha256: delivery.raw_sha256 === '' ? null : delivery.raw_sha256,
  };
}

/** Other senders' names for levels. */
const LEVEL_NAMES: Readonly<Record<string, Level>> = {
  critical: 'fatal',
  crit: 'fatal',
  emergency: 'fatal',
  alert: 'fatal',
  panic: 'fatal',
  warn: 'warning',
  notice: 'info',
  log: 'info',
  trace: 'debug',
  verbose: 'debug',
};

/**
 * The lowest number of each level in Python's `logging`, as older clients send it. Relay accepts these numbers, too
 * (`Level::from_python_level`).
 */
const LEVEL_NUMBERS: readonly (readonly [number, Level])[] = [
  [50, 'fatal'],
  [40, 'error'],
  [30, 'warning'],
  [20, 'info'],
  [10, 'debug'],
];

function levelOf(value: Json): Level {
  const name = asText(value)?.trim().toLowerCase() ?? '';
  return (
    LEVELS.find((level) => level === name) ??
    (Object.hasOwn(LEVEL_NAMES, name) ? LEVEL_NAMES[name] : null) ??
    LEVEL_NUMBERS.find(([lowest]) => Number(name) >= lowest)?.[1] ??
    'error'
  );
}

/** Text, or the object of Sentry's own API. */
function releaseOf(crash: JsonObject): string | null {
  const release = asObject(crash.release);
  return release === null ? asText(crash.release) : firstText(release, 'version', 'name');
}

function sdkOf(crash: JsonObject): Event['sdk'] {
  const sdk = asObject(crash.sdk);
  const name = sdk === null ? null : asText(sdk.name);
  if (sdk === null || name === null) return null;
  return {
    name: name.slice(0, TEXT_LIMITS.short),
    version: (asText(sdk.version) ?? '').slice(0, TEXT_LIMITS.name),
  };
}

function requestOf(crash: JsonObject, trim: Trimmer): JsonObject | null {
  const request = asObject(crash.request ?? crash['sentry.interfaces.Http']);
  if (request === null) return null;
  const headers =
    request.headers === undefined || request.headers === null ? {} : { headers: headersOf(request.headers) };
  return trim.object({ ...request, ...headers }, BUDGETS.request, 'request');
}

const BREADCRUMBS = 100;

function breadcrumbsOf(crash: JsonObject, trim: Trimmer): readonly JsonObject[] {
  const values = asValues(crash.breadcrumbs ?? crash['sentry.interfaces.Breadcrumbs']);
  const kept = values.slice(-BREADCRUMBS);
  if (kept.length < values.length)
    trim.note(`breadcrumbs: the last ${BREADCRUMBS} of ${values.length} were kept`);
  return objectsOf(
    kept.map((value, index) => trim.object(value, BUDGETS.breadcrumb, `breadcrumbs[${index}]`)),
  );
}

/** Members with a field of their own in an event, and Sentry's internal bookkeeping. */
const PLACED = new Set([
  ...[
    'event_id',
    'message',
    'logentry',
    'exception',
    'stack',
    'stack_trace',
    'stacktrace',
    'threads',
    'timestamp',
  ],
  ...[
    'level',
    'platform',
    'release',
    'dist',
    'environment',
    'server_name',
    'transaction',
    'culprit',
    'logger',
  ],
  ...['tags', 'user', 'request', 'contexts', 'breadcrumbs', 'extra', 'modules', 'fingerprint', 'sdk'],
  ...['_meta', '_metrics', '_ref', '_ref_version', 'grouping_config', 'hashes', 'key_id', 'metadata'],
]);

function extraOf(crash: JsonObject, unread: string | null, trim: Trimmer): JsonObject {
  const unplaced = Object.entries(crash).filter(
    ([name]) => !PLACED.has(name) && !name.startsWith('sentry.interfaces.'),
  );
  const extra =
    asObject(crash.extra) ??
    (crash.extra === undefined || crash.extra === null ? {} : { extra: crash.extra });
  const stack = unread === null ? {} : { stack: unread };
  // Unchanged if there is nothing to add: it may have thousands of members.
  const alone = unread === null && unplaced.length === 0;
  const all = alone ? extra : { ...stack, ...Object.fromEntries(unplaced), ...extra };
  return trim.object(all, BUDGETS.extra, 'extra') ?? {};
}

/**
 * Names under which senders report the commit, in order of precedence. They are read from the crash's own members, its
 * tags, its `extra`, and the contexts `app`, `git`, `vcs`, `build` and `deployment`.
 */
const COMMIT_NAMES = [
  'commit',
  'commit_sha',
  'git.sha',
  'git_sha',
  'git.commit',
  'git_commit',
  'git.commit.sha',
  'git_commit_sha',
  'vcs.revision',
  'vcs.ref.head.revision',
  'revision',
  'sha',
] as const;
const CONTEXTS = ['app', 'git', 'vcs', 'build', 'deployment'];

/** A full or abbreviated commit id, lower case; `null` if none was sent explicitly. A release is not a commit. */
function commitOf(crash: JsonObject): string | null {
  const contexts = asObject(crash.contexts);
  const places = [
    crash,
    Object.fromEntries(asEntries(crash.tags)),
    ...CONTEXTS.map((name) => asObject(contexts?.[name])),
    asObject(crash.extra),
  ];
  for (const place of places) {
    if (place === null) continue;
    for (const name of COMMIT_NAMES) {
      const sha = asSha(place[name]);
      if (sha !== null) return sha;
    }
  }
  return null;
}

/** Also `{ sha }` and `{ id }`, as build tools write it. */
function asSha(value: Json): string | null {
  const nested = asObject(value);
  const text = asText(nested === null ? value : (nested.sha ?? nested.id))?.trim() ?? '';
  return /^(?:[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(text) ? text.toLowerCase() : null;
}
