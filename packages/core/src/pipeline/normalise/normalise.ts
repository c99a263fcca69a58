import type { Delivery } from '../../domain/delivery.js';
import { type Event, LEVELS, type Level } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import { trustOf } from '../../domain/trust.js';
import { withDebugIds } from './debug-ids.js';
import { exceptionsOf } from './exceptions.js';
import { asEntries, asObject, asText, asValues, firstText, type Json, objectsOf } from './read.js';
import { crashTime } from './time.js';
import { BUDGETS, cutText, TEXT_LIMITS, type Trimmer, trimmer } from './trim.js';

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

interface Message {
  readonly message: string | null;
  readonly template: string | null;
}

/** `message` is text or an older SDK's log entry; `logentry` has the template and its parameters. */
function messageOf(crash: JsonObject): Message {
  const entry =
    asObject(crash.logentry) ?? asObject(crash['sentry.interfaces.Message']) ?? asObject(crash.message);
  const template = entry === null ? null : asText(entry.message);
  const formatted = entry === null ? null : asText(entry.formatted);
  const own = asText(crash.message) ?? asText(crash.logentry);
  const message = own ?? formatted ?? (template === null ? null : fill(template, entry?.params));
  return { message, template: template === message ? null : template };
}

/** Inserts parameters into `%s`, `%(name)s`, `{}`, `{0}` and `{name}`; a placeholder without a parameter stays. */
function fill(template: string, params: Json): string {
  const values = new Map<string, string>();
  const named = Array.isArray(params) ? Object.entries<Json>(params) : asEntries(params);
  for (const [name, value] of named) values.set(name, shown(value));
  let next = 0;
  // One parameter may be named thousands of times.
  let room = TEMPLATE_CHARS;
  return template
    .slice(0, TEMPLATE_CHARS)
    .replace(
      /%(?:\((\w{1,64})\))?[sdifr]|\{(\w{0,64})\}/g,
      (placeholder, named: string | undefined, braced: string | undefined) => {
        const value = values.get(named || braced || String(next++)) ?? placeholder;
        room -= value.length;
        return room < 0 ? '' : value;
      },
    );
}

/** Far more than is kept of a message. */
const TEMPLATE_CHARS = 8192;

function shown(value: Json): string {
  if (typeof value === 'string') return value.slice(0, 1024);
  return typeof value === 'object' && value !== null ? '…' : String(value);
}

/** Lines read of a text of unknown format. */
const LINES = 200;
const TELLS = /error|exception|fatal|panic|fault|fail|abort|cannot|can't|not found|no such|denied/i;

/**
 * The line of a text of unknown format that best describes what happened: the first that mentions a failure, or else
 * the first. Without it, all such crashes would be one incident.
 */
function failureLine(text: string | null): string | null {
  const lines = (text ?? '')
    .slice(0, 65_536)
    .split(/[\n\r\u2028\u2029]/, LINES)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => TELLS.test(line)) ?? lines[0] ?? null;
}

/** Members of an event that a tag must not shadow. */
const RESERVED = new Set(['release', 'dist', 'user', 'filename', 'function', 'environment', '__proto__']);
const MAX = 200;

/**
 * From a map or a list of pairs. Keys lose their spaces, values become text; values that are too long are dropped and
 * noted.
 */
function tagsOf(value: Json, trim: Trimmer): Readonly<Record<string, string>> {
  const tags = new Map<string, string>();
  for (const [name, member] of asEntries(value)) {
    const key = name.trim().replace(/\s+/g, '-');
    const text = scalarText(member);
    if (key === '' || text === null || RESERVED.has(key)) continue;
    if (tags.size >= MAX) {
      trim.note(`tags: the first ${MAX} were kept`);
      break;
    }
    if (key.length > TEXT_LIMITS.short || text.length > TEXT_LIMITS.short) {
      trim.note(`tag ${cutText(key, 40)} was dropped: over ${TEXT_LIMITS.short} characters`);
    } else {
      tags.set(cutText(key, TEXT_LIMITS.short), cutText(text, TEXT_LIMITS.short));
    }
  }
  return Object.fromEntries(tags);
}

/** As the Sentry server writes scalars: `true` is `True`. */
function scalarText(value: Json): string | null {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  return typeof value === 'string' ? value.trim() : null;
}

/** The tag `environment` is an older form of the field. */
function environmentTag(tags: Json): string | null {
  const found = asEntries(tags).find(([name]) => name === 'environment');
  return found ? scalarText(found[1]) || null : null;
}

const PARTS = 64;

/** The sender's fingerprint: scalars as text, floats truncated to integers; `null` unless it is a list. */
function fingerprintOf(value: Json): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const parts = value.flatMap((part: Json) => {
    const text = scalarText(typeof part === 'number' && Number.isFinite(part) ? Math.trunc(part) : part);
    return text === null ? [] : [cutText(text, TEXT_LIMITS.message)];
  });
  return parts.length > 0 ? parts.slice(0, PARTS) : null;
}

/** Package names and versions. */
function modulesOf(value: Json, trim: Trimmer): Readonly<Record<string, string>> {
  const modules: [string, string][] = [];
  let chars = 0;
  for (const [name, version] of asEntries(value)) {
    const text = scalarText(version);
    if (text === null || name === '__proto__') continue;
    chars += name.length + text.length;
    if (chars > 32_768) {
      trim.note('modules were cut to their limits');
      break;
    }
    modules.push([cutText(name, TEXT_LIMITS.short), cutText(text, TEXT_LIMITS.short)]);
  }
  return Object.fromEntries(modules);
}

/**
 * Headers as a map of strings, from a map or from the pair lists of processed events; list values are joined by `,`.
 */
function headersOf(value: Json): JsonObject {
  return Object.fromEntries(
    asEntries(value).flatMap(([name, member]): [string, string][] => {
      const text = Array.isArray(member) ? member.map(scalarText).join(',') : scalarText(member);
      return text === null || name === '__proto__' ? [] : [[name, text]];
    }),
  );
}
