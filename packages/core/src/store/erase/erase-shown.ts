import type { RunSummary } from '../../domain/run.js';
import { ERASED, erasePerson } from '../../pipeline/erase-person.js';

/** Where a member of a run holds people: in text from outside, as a reviewer's name below `by`, in a way of its own, or nowhere. */
const PEOPLE = {
  run_id: null,
  project: null,
  state: null,
  title: 'text',
  fingerprint: 'own',
  level: null,
  platform: null,
  occurrences: null,
  users: null,
  first_seen: null,
  last_seen: null,
  first_crash_at: null,
  releases: 'text',
  environments: 'text',
  place: 'text',
  doors: null,
  sources: 'text',
  revision: null,
  suspects: 'text',
  no_suspect: 'text',
  draft: 'own',
  publication: 'own',
  regression_of: null,
  came_back_as: null,
  approved_by: 'own',
  fix: 'text',
  resolution: 'by',
  follow_up: 'by',
  link_back: 'by',
  hand_offs: 'by',
  merged_into: null,
  members: 'text',
  last_error: 'text',
  returned: 'by',
  snooze: 'by',
  woken: 'text',
  claim: 'by',
  comments: null,
  remarks: null,
  generation: null,
  cycle: null,
  version: null,
  updated_at: null,
} as const satisfies Record<keyof RunSummary, 'text' | 'by' | 'own' | null>;

export interface ErasedSummary {
  readonly run: RunSummary;
  readonly places: number;
  /** An issue has a comment that names the person. */
  readonly commented: boolean;
}

/** What lists show of a run, without the person; its draft is erased with the signed text. */
export function eraseShown(run: RunSummary, person: string): ErasedSummary {
  const { fingerprint, publication } = run;
  const shown = {
    ...membersOf(run, 'text'),
    parts: fingerprint.parts,
    divergence: publication?.divergence ?? [],
  };
  const { value, places } = erasePerson(shown, person);
  const reviewers = eraseReviewers(run, person);
  const { parts, divergence, ...texts } = value;
  return {
    run: {
      ...run,
      ...reviewers,
      ...texts,
      fingerprint: { ...fingerprint, parts },
      publication: publication && { ...publication, divergence },
    },
    places: places + Object.keys(reviewers).length,
    commented: reviewers.follow_up?.comment != null || reviewers.link_back?.change != null,
  };
}

/** Those that the run does not have stay absent. */
function membersOf(run: RunSummary, where: 'text' | 'by'): Partial<RunSummary> {
  return Object.fromEntries(
    Object.entries(run).filter(
      ([name, value]) => value !== undefined && PEOPLE[name as keyof RunSummary] === where,
    ),
  );
}

/** The name with which a comment about a fix begins. */
const COMMENTER = /^(`+)[^\n]*?[^`\n]\1(?!`)/;

/** The members that name the reviewer, without the name; a return without its reason, too. */
function eraseReviewers(run: RunSummary, id: string): Partial<RunSummary> {
  const { returned, approved_by } = run;
  const named = Object.entries(membersOf(run, 'by')).flatMap(([name, value]) => {
    const without = withoutBy(value, id);
    return without === value ? [] : [[name, without]];
  });
  const erased: Partial<RunSummary> = Object.fromEntries(named);
  const { follow_up } = erased;
  return {
    ...erased,
    ...(follow_up && {
      follow_up: { ...follow_up, comment: follow_up.comment?.replace(COMMENTER, `\`${ERASED}\``) ?? null },
    }),
    ...(returned &&
      (erased.returned || erasePerson(returned.reason, id).places > 0) && {
        returned: { ...returned, by: ERASED, reason: ERASED },
      }),
    ...(sameName(approved_by, id) && { approved_by: ERASED }),
  };
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
