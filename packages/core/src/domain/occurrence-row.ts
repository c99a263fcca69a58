import * as v from 'valibot';
import { DOORS, type Door, type Event, LEVELS } from './event.js';
import type { JsonObject, JsonValue } from './json.js';
import { about, type Doc, named, text } from './schema.js';
import { earliest } from './source.js';
import { TRUSTS, type Trust, trustOf } from './trust.js';

/** A tag of an occurrence: its name and value. */
export type Facet = readonly [name: string, value: string];

/** An occurrence as stores write it: short, because there is one for each crash. Times in ms since 1970. */
export type OccurrenceRow = readonly [
  at: number,
  event_id: string,
  release: string | null,
  environment: string | null,
  door: Door,
  trust: Trust,
  user: string | null,
  facets: readonly Facet[],
];

/** Bounds of what is stored of each occurrence of a run. Longer texts are cut. */
const OCCURRENCE_LIMITS = {
  /** Characters of a name, value, release, environment or user. */
  text: 64,
  /** Tags of one occurrence that are counted. */
  facets: 24,
} as const;

export const occurrenceEntrySchema = named(
  'Occurrence',
  'One event counted on a run.',
  v.object({
    number: about(v.number(), '1 for the first occurrence of the run.'),
    event_id: v.string(),
    received_at: about(v.string(), 'When the edge received it. ISO 8601, UTC.'),
    release: about(text, `Like the other texts, cut after ${OCCURRENCE_LIMITS.text} characters.`),
    environment: text,
    door: v.picklist(DOORS),
    trust: v.picklist(TRUSTS),
    user: about(text, 'Id, name or address, as it is stored. `null` if unknown or redacted.'),
    stored: about(v.boolean(), 'Its event can be read.'),
  }),
);
/** One occurrence of a run, as lists show it. Its event is stored only if `stored` is true. */
export interface OccurrenceEntry extends Doc<typeof occurrenceEntrySchema> {}

/** The row of an event that core records at `now`. */
export function rowOf(event: Event, now: string): OccurrenceRow {
  const at = Date.parse(earliest(event.received_at, now));
  return [
    at,
    event.event_id,
    short(event.release),
    short(event.environment),
    event.door,
    trustOf(event),
    userOf(event.user),
    facetsOf(event),
  ];
}

/** The row without what only the statistics need. */
export function slimRow([at, id, release, environment, door, trust, user]: OccurrenceRow): OccurrenceRow {
  return [at, id, release, environment, door, trust, user, []];
}

/** The row of occurrence `number`, for people. */
export function entryOf(row: OccurrenceRow, number: number, stored: boolean): OccurrenceEntry {
  const [at, event_id, release, environment, door, trust, user] = row;
  const received_at = new Date(at).toISOString();
  return { number, event_id, received_at, release, environment, door, trust, user, stored };
}

/** Members of the event that are counted like tags, before the tags themselves. */
function facetsOf({ tags, level, server_name, transaction, contexts }: Event): readonly Facet[] {
  const facets: Facet[] = [];
  const add = (name: string, value: string | null) => {
    if (value === null || value === '' || facets.length === OCCURRENCE_LIMITS.facets) return;
    facets.push([cut(name), cut(value)]);
  };
  if (level !== LEVELS[1]) add('level', level);
  add('server_name', server_name);
  add('transaction', transaction);
  for (const name of DERIVED) if (!(name in tags)) add(name, nameOf(contexts[name]));
  for (const name in tags) add(name, tags[name] ?? null);
  return facets;
}

/** Contexts that name software or hardware. Sentry's server makes tags of them, too. */
const DERIVED = ['browser', 'os', 'runtime', 'device'] as const;

/** `Firefox 140.0`. */
function nameOf(context: JsonValue | undefined): string | null {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return null;
  const { name, family, model, version } = context as JsonObject;
  const first = [name, family, model].find((text) => typeof text === 'string');
  if (typeof first !== 'string') return null;
  return typeof version === 'string' ? `${first} ${version}` : first;
}

/** Members that identify a user, most specific first. A redacted one identifies nobody. */
const IDENTITIES = ['id', 'username', 'email', 'ip_address', 'name'] as const;

function userOf(user: JsonObject | null): string | null {
  if (user === null) return null;
  for (const name of IDENTITIES) {
    const value = user[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && text !== '' && !isRedacted(text)) return cut(text);
  }
  return null;
}

/** Whether a text has a redacted part: by Culprit (`[redacted:email]`) or by an SDK (`[Filtered]`). */
function isRedacted(text: string): boolean {
  return text.includes('[redacted:') || /^\[?(?:filtered|redacted|masked|\*+)\]?$/i.test(text);
}

function short(text: string | null): string | null {
  return text === null ? null : cut(text);
}

function cut(text: string): string {
  const { text: most } = OCCURRENCE_LIMITS;
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
