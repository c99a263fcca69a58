import type * as v from 'valibot';
import { type RunSummary, runSummarySchema } from '../../domain/run.js';
import { ERASED, type Erased, erasePerson, eraseTyped } from '../../pipeline/erase-person.js';

type Eraser<Value> = (value: Value, person: string, schema: v.GenericSchema) => Erased<Value>;

/** In text from outside. */
const text = <Value>(value: Value, person: string, schema: v.GenericSchema) =>
  eraseTyped(value, person, schema);

/** As a reviewer's name below `by`, however deep. */
function by<Value>(value: Value, person: string): Erased<Value> {
  const without = withoutBy(value, person);
  return { value: without, places: Number(without !== value) };
}

/** Where a member of a run holds people, and how they are erased from it; `null`: nowhere. */
const PEOPLE: {
  readonly [Name in keyof Required<RunSummary>]: Eraser<NonNullable<RunSummary[Name]>> | null;
} = {
  run_id: null,
  project: null,
  state: null,
  title: text,
  fingerprint: within('parts'),
  level: null,
  platform: null,
  occurrences: null,
  users: null,
  first_seen: null,
  last_seen: null,
  first_crash_at: null,
  releases: text,
  environments: text,
  place: text,
  doors: null,
  sources: text,
  revision: null,
  suspects: text,
  no_suspect: text,
  // With its text, which is in the detail.
  draft: null,
  publication: within('divergence'),
  regression_of: null,
  came_back_as: null,
  approved_by: (name, person) => (sameName(name, person) ? { value: ERASED, places: 1 } : kept(name)),
  fix: text,
  resolution: by,
  follow_up: eraseFollowUp,
  link_back: by,
  hand_offs: by,
  merged_into: null,
  members: text,
  last_error: text,
  returned: eraseReturned,
  snooze: by,
  woken: text,
  claim: by,
  pinned: by,
  comments: null,
  remarks: null,
  generation: null,
  cycle: null,
  version: null,
  updated_at: null,
};

export interface ErasedSummary extends Erased<RunSummary> {
  /** An issue has a comment that names the person. */
  readonly commented: boolean;
}

/** What lists show of a run, without the person; its draft is erased with the signed text. */
export function eraseShown(run: RunSummary, person: string): ErasedSummary {
  let places = 0;
  const named = new Map<string, unknown>();
  for (const [name, erase] of Object.entries(PEOPLE) as [keyof RunSummary, Eraser<unknown> | null][]) {
    if (erase === null || run[name] === undefined || run[name] === null) continue;
    const erased = erase(run[name], person, runSummarySchema.entries[name]);
    if (erased.places > 0) named.set(name, erased.value);
    places += erased.places;
  }
  const changed: Partial<RunSummary> = Object.fromEntries(named);
  const { follow_up, link_back } = changed;
  return {
    value: { ...run, ...changed },
    places,
    commented: follow_up?.comment != null || link_back?.change != null,
  };
}

/** Only in this member of it: the others are ours. */
function within<Name extends string>(member: Name) {
  return <Value extends { readonly [Key in Name]: unknown }>(value: Value, person: string): Erased<Value> => {
    // Lists of texts.
    const erased = erasePerson(value[member], person, false);
    return { ...erased, value: { ...value, [member]: erased.value } };
  };
}

/** The name with which a comment about a fix begins. */
const COMMENTER = /^(`+)[^\n]*?[^`\n]\1(?!`)/;

function eraseFollowUp(change: NonNullable<RunSummary['follow_up']>, person: string): Erased<typeof change> {
  const erased = by(change, person);
  if (erased.places === 0) return erased;
  const comment = change.comment?.replace(COMMENTER, `\`${ERASED}\``) ?? null;
  return { ...erased, value: { ...erased.value, comment } };
}

/** A return goes with its reason. */
function eraseReturned(
  returned: NonNullable<RunSummary['returned']>,
  person: string,
): Erased<typeof returned> {
  const named = sameName(returned.by, person) || erasePerson(returned.reason, person).places > 0;
  return named ? { value: { ...returned, by: ERASED, reason: ERASED }, places: 1 } : kept(returned);
}

function kept<Value>(value: Value): Erased<Value> {
  return { value, places: 0 };
}

/** The same value if no `by` in it is the name. */
function withoutBy<Value>(value: Value, id: string): Value {
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(([name, inner]: [string, unknown]) => [
    name,
    name === 'by' && typeof inner === 'string' && sameName(inner, id) ? ERASED : withoutBy(inner, id),
  ]);
  if (after.every(([, inner], at) => inner === before[at]?.[1])) return value;
  return (Array.isArray(value) ? after.map(([, inner]) => inner) : Object.fromEntries(after)) as Value;
}

export function sameName(name: string | null | undefined, id: string): boolean {
  return name?.toLowerCase() === id.toLowerCase();
}
