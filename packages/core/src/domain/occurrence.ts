import { crashPlaceOf } from './crash-place.js';
import { crashTimeOf } from './crash-time.js';
import { step } from './entries.js';
import type { Event } from './event.js';
import type { Fingerprint } from './fingerprint.js';
import type { NewHistoryEntry } from './history.js';
import { countsOf, type RunMember, remember, withMembers } from './member.js';
import type { Run, RunRecord } from './run.js';
import { countInSnooze, wake } from './snooze.js';
import { countSource, earliest, lastOf, sourcesOf, trustMix } from './source.js';
import { trustOf } from './trust.js';

/** The result of counting one occurrence: the run to store and the history entries to append. */
export interface Counting {
  readonly record: RunRecord;
  readonly created: boolean;
  /** The run shows this occurrence's event from now on. If false, the stored event stays. */
  readonly shown: boolean;
  /** The first crash of this run through its door. */
  readonly newSource: boolean;
  /** It ended the run's snooze. */
  readonly woken: boolean;
  /** The new run takes its fingerprint out of the merged run that has counted it so far. Absent: no. */
  readonly parted?: boolean;
  readonly history: readonly NewHistoryEntry[];
}

interface Counted {
  readonly event: Event;
  readonly fingerprint: Fingerprint;
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly candidate_run_id: string;
  /** Id of a published run: this event's revision does not contain the fix of its issue. */
  readonly before_fix_of?: string | null;
}

/**
 * Counts one event on the latest run of its fingerprint. Starts a new run if there is none, if the latest was rejected and
 * its quiet time is over or does not hold for this event, or if it was published and its issue is closed (a regression),
 * unless the crashed revision does not contain the issue's fix.
 * A run that was merged into the latest one counts there. A merge that was decided on untrusted crashes alone does not hold for
 * the first trusted one: that starts a run of its own.
 * An untrusted event never changes data from a trusted one; the first trusted event replaces data from untrusted ones.
 * `closedIssues` has the ids of runs whose issue is closed, `dismissedIssues` of those where it is closed as not planned or as
 * a duplicate: that decides nothing for the first trusted crash. Pure, and reads nothing of the latest run's event: every
 * store's `record` applies exactly this function.
 */
export function countOccurrence(
  latest: RunRecord | null,
  occurrence: Counted,
  now: string,
  quietAfterRejectMs: number,
  closedIssues: readonly string[] = [],
  dismissedIssues: readonly string[] = [],
): Counting {
  if (latest === null) return start(occurrence, null, null, now);
  const { run } = latest;
  // What was rejected or dismissed may be junk that imitates this crash.
  const firstTrusted = trustOf(occurrence.event) === 'trusted' && trustMix(run).trusted === 0;
  if (run.state === 'rejected') {
    if (firstTrusted) return start(occurrence, run, run.regression_of, now);
    if (Date.parse(now) - Date.parse(run.updated_at) >= quietAfterRejectMs)
      return start(occurrence, run, null, now);
  }
  if (run.state === 'published' && occurrence.before_fix_of !== run.run_id) {
    const over = closedIssues.includes(run.run_id);
    if (over || (firstTrusted && dismissedIssues.includes(run.run_id)))
      return start(occurrence, run, run.run_id, now);
  }
  const member = memberFor(run, occurrence);
  if (member === null) return countOn(latest, occurrence, now);
  const joined = trustOf(occurrence.event) === 'trusted' && trustMix(member).trusted === 0;
  if (joined && member.into !== null) return parted(occurrence, member, now);
  return countOnMember(latest, member, occurrence, now);
}

/** The member that counts the occurrence; `null` if nothing was merged into the run. */
function memberFor({ members }: Run, { fingerprint, aliases = [] }: Counted): RunMember | null {
  const hashes = [fingerprint.hash, ...aliases];
  return members?.findLast((one) => hashes.includes(one.fingerprint)) ?? members?.[0] ?? null;
}

/** The crash's own fingerprint, or that of a run into which the run of that fingerprint was merged. */
function fingerprintOf(occurrence: Counted, earlier: Run | null): Fingerprint {
  const member = earlier && memberFor(earlier, occurrence);
  return earlier !== null && member && member.into !== null ? earlier.fingerprint : occurrence.fingerprint;
}

function parted(occurrence: Counted, { generation }: RunMember, now: string): Counting {
  const counting = start(occurrence, null, null, now);
  const { record } = counting;
  return {
    ...counting,
    record: { ...record, run: { ...record.run, generation: generation + 1 } },
    parted: true,
  };
}

/** Counts on the member as on a run of its own. The run continues to show the events of its own fingerprint. */
function countOnMember(latest: RunRecord, member: RunMember, occurrence: Counted, now: string): Counting {
  const { run } = latest;
  const alone: Run = { ...run, ...countsOf(member), members: undefined };
  const counting = countOn({ ...latest, run: alone }, occurrence, now);
  const counted = counting.record.run;
  const members = (run.members ?? []).map((one) =>
    one.run_id === member.run_id ? { ...one, ...countsOf(counted) } : one,
  );
  const own = member.into === null;
  const { title, level, platform, place, event } = run;
  const joined = withMembers(own ? counted : { ...counted, title, level, platform, place, event }, members);
  return {
    ...counting,
    record: { ...latest, run: joined },
    shown: own && counting.shown,
    newSource: (joined.sources?.length ?? 0) > sourcesOf(run).length,
  };
}

function countOn(latest: RunRecord, occurrence: Counted, now: string): Counting {
  const { run } = latest;
  const { event } = occurrence;
  const trust = trustOf(event);
  const before = sourcesOf(run);
  const trustedBefore = before.some((source) => source.trust === 'trusted');
  const sources = countSource(before, event, arrivalOf(event, now));
  const shown = trust === 'trusted' || !trustedBefore;
  // Also if an older version counted both kinds together.
  const takesOver = trust === 'trusted' && trustMix(run).trusted === 0;
  const counted: Run = {
    ...run,
    ...(takesOver ? opening(occurrence, now) : shown ? addition(run, occurrence, now) : {}),
    ...(shown ? beforeFix(run, occurrence) : {}),
    occurrences: run.occurrences + 1,
    doors: remember(run.doors, event.door),
    sources,
    updated_at: run.state === 'rejected' || now < run.updated_at ? run.updated_at : now,
  };
  const newSource = sources.length > before.length;
  const rest = { created: false, shown, newSource };
  const snooze = shown && run.state === 'snoozed' ? countInSnooze(run, event, takesOver) : null;
  if (snooze === null) return { ...rest, record: { ...latest, run: counted }, woken: false, history: [] };
  const woken = 'why' in snooze ? wake(run, { at: now, ...snooze }) : null;
  if (woken === null) {
    const waiting = 'until' in snooze ? { ...counted, snooze } : counted;
    return { ...rest, record: { ...latest, run: waiting }, woken: false, history: [] };
  }
  const awake: Run = { ...counted, ...woken.patch, version: run.version + 1 };
  return { ...rest, record: { ...latest, run: awake }, woken: true, history: [woken.entry] };
}

/** The members of a run that come from its first event, or from its first trusted one. */
function opening({ event, title }: Counted, now: string) {
  const at = arrivalOf(event, now);
  return {
    title,
    level: event.level,
    platform: event.platform,
    first_seen: at,
    last_seen: at,
    first_crash_at: crashTimeOf(event),
    releases: remember([], event.release),
    environments: remember([], event.environment),
    place: crashPlaceOf(event),
    event,
  };
}

/** The members that a further event of the same trust changes. */
function addition(run: Run, { event }: Counted, now: string) {
  const at = arrivalOf(event, now);
  return {
    first_seen: earliest(run.first_seen, at),
    last_seen: lastOf(run.last_seen, at),
    first_crash_at: earliest(run.first_crash_at ?? run.first_seen, crashTimeOf(event)),
    releases: remember(run.releases, event.release),
    environments: remember(run.environments, event.environment),
    place: crashPlaceOf(event),
    event,
  };
}

/** Counts a crash of a revision without the fix. */
function beforeFix({ run_id, fix }: Run, { event, before_fix_of }: Counted): Pick<Run, 'fix'> {
  if (!fix || before_fix_of !== run_id) return {};
  const missing_in = remember(fix.missing_in, event.release ?? event.commit);
  return { fix: { ...fix, missing_in, occurrences: fix.occurrences + 1 } };
}

/** When the edge received it. An edge's clock may be ahead of core's. */
function arrivalOf(event: Event, now: string): string {
  return earliest(event.received_at, now);
}

function start(occurrence: Counted, earlier: Run | null, regressionOf: string | null, now: string): Counting {
  const { event, candidate_run_id } = occurrence;
  const run: Run = {
    run_id: candidate_run_id,
    project: event.project,
    state: 'staged_raw',
    // The next crash of any member finds the run by this fingerprint.
    fingerprint: fingerprintOf(occurrence, earlier),
    occurrences: 1,
    ...opening(occurrence, now),
    doors: [event.door],
    sources: countSource([], event, arrivalOf(event, now)),
    revision: null,
    suspects: [],
    no_suspect: null,
    explanation: null,
    draft: null,
    publication: null,
    regression_of: regressionOf,
    last_error: null,
    generation: (earlier?.generation ?? 0) + 1,
    cycle: 1,
    version: 1,
    updated_at: now,
  };
  const staged = step('staged', now, {
    to: 'staged_raw',
    detail: {
      event_id: event.event_id,
      door: event.door,
      trust: trustOf(event),
      generation: run.generation,
      ...(regressionOf === null ? {} : { regression_of: regressionOf }),
    },
  });
  const record = { run, intent: null, lease: null };
  return { record, created: true, shown: true, newSource: true, woken: false, history: [staged] };
}
