import type { RunClaim } from './claim.js';
import type { Returned } from './comeback.js';
import type { CrashPlace } from './crash-place.js';
import type { Draft } from './draft.js';
import type { Door, Event, Level } from './event.js';
import type { Explanation } from './explanation.js';
import type { Fingerprint } from './fingerprint.js';
import type { RunFix } from './fix.js';
import type { HandOff } from './hand-off.js';
import type { HistoryGap } from './history-gap.js';
import type { RunMember } from './member.js';
import type { Ownership } from './ownership.js';
import type { RunRelease } from './release.js';
import type { FollowUp, LinkBack, Resolution } from './resolution.js';
import type { Snooze, Woken } from './snooze.js';
import type { Source } from './source.js';
import type { NoSuspect, Suspect } from './suspect.js';
import type { AffectedUsers } from './user-count.js';

/** All states of a run, in the order a run passes through them. `snoozed` interrupts `staged_raw` or `staged_draft`. */
export const RUN_STATES = [
  'staged_raw',
  'analyzing',
  'staged_draft',
  'publishing',
  'published',
  'rejected',
  'snoozed',
  'merged',
] as const;
/** The state of a run; one of `RUN_STATES`. */
export type RunState = (typeof RUN_STATES)[number];

/**
 * What moves a run. Reviewers trigger `gate*` and `draft.edit`; the engine triggers the rest. `reopen` undoes a rejection at
 * its gate, `split` a merge. `wake` ends a snooze at its gate: a reviewer's decision, or a step of the engine.
 */
export const TRANSITIONS = {
  'gate1.approve': { from: 'staged_raw', to: 'analyzing' },
  'gate1.reject': { from: 'staged_raw', to: 'rejected' },
  'analysis.done': { from: 'analyzing', to: 'staged_draft' },
  'analysis.failed': { from: 'analyzing', to: 'staged_raw' },
  'draft.edit': { from: 'staged_draft', to: 'staged_draft' },
  'gate2.approve': { from: 'staged_draft', to: 'publishing' },
  'gate2.reject': { from: 'staged_draft', to: 'rejected' },
  'gate2.return': { from: 'staged_draft', to: 'staged_raw' },
  'publish.done': { from: 'publishing', to: 'published' },
  'publish.refused': { from: 'publishing', to: 'staged_draft' },
  'gate1.reopen': { from: 'rejected', to: 'staged_raw' },
  'gate2.reopen': { from: 'rejected', to: 'staged_draft' },
  'gate1.snooze': { from: 'staged_raw', to: 'snoozed' },
  'gate2.snooze': { from: 'staged_draft', to: 'snoozed' },
  'snooze.change': { from: 'snoozed', to: 'snoozed' },
  'gate1.wake': { from: 'snoozed', to: 'staged_raw' },
  'gate2.wake': { from: 'snoozed', to: 'staged_draft' },
  'gate1.merge': { from: 'staged_raw', to: 'merged' },
  'gate2.merge': { from: 'staged_draft', to: 'merged' },
  'gate1.split': { from: 'merged', to: 'staged_raw' },
  'gate2.split': { from: 'merged', to: 'staged_draft' },
} as const satisfies Record<string, { from: RunState; to: RunState }>;
/** The name of a transition; one of `TRANSITIONS`. */
export type Trigger = keyof typeof TRANSITIONS;

/** The state after the trigger, or `null` if the state does not allow it. */
export function nextState(state: RunState, trigger: Trigger): RunState | null {
  const { from, to } = TRANSITIONS[trigger];
  return state === from ? to : null;
}

/** Closed states; a later crash may start a new run. A reviewer can reopen a rejected one, and split a merged one. */
export const CLOSED_STATES: readonly RunState[] = ['published', 'rejected', 'merged'];
/** States in which a run waits for a reviewer. */
export const WAITING_STATES: readonly RunState[] = ['staged_raw', 'staged_draft'];

/** All ways to determine the crashed revision, most reliable first. */
export const REVISION_SOURCES = ['explicit', 'release', 'tag', 'date', 'head'] as const;
/** How the crashed revision was determined; one of `REVISION_SOURCES`. */
export type RevisionSource = (typeof REVISION_SOURCES)[number];
/** How each source is shown to people. */
export const REVISION_SOURCE_WORDS: Readonly<Record<RevisionSource, string>> = {
  explicit: 'reported with the crash',
  release: 'from the release',
  tag: 'from the release tag',
  date: 'guessed from the time of the crash',
  head: 'guessed: the latest commit',
};
/** The commit that crashed, and how it was determined; `head` is a guess and is shown as one. */
export interface Revision {
  readonly sha: string;
  readonly how: RevisionSource;
  /** What the repository does not show there. Absent: nothing is known to be missing. */
  readonly gaps?: readonly HistoryGap[] | undefined;
}

/** The issue a run was published as. */
export interface Publication {
  readonly issue_url: string;
  readonly number: number;
  /** The comment that reopened the issue. Absent: the issue was created. */
  readonly comment_url?: string | undefined;
  readonly published_at: string;
  readonly digest: string;
  /** What the code host changed or dropped, for display: `label "culprit" was dropped`. */
  readonly divergence: readonly string[];
}

/** The last failure of a run's analysis or publication. */
export interface RunError {
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
}

/** One incident: a fingerprint under triage. Frozen as `culprit.run/1`; this is what the API shows. */
export interface Run {
  readonly run_id: string;
  readonly project: string;
  readonly state: RunState;
  readonly title: string;
  readonly fingerprint: Fingerprint;
  readonly level: Level;
  readonly platform: string;
  readonly occurrences: number;
  /** Of the occurrences that were recorded on this run itself. Absent: not counted yet, because an older version wrote the run. */
  readonly users?: AffectedUsers | undefined;
  /** Receipt of the first and the latest crash, by the edge's clock. Of the trusted ones if there are any, like all that follows. */
  readonly first_seen: string;
  readonly last_seen: string;
  /** When the first crash happened; see `crashTimeOf`. Absent in runs of older versions: `first_seen` is that time. */
  readonly first_crash_at?: string | undefined;
  readonly releases: readonly string[];
  readonly environments: readonly string[];
  /** Where the shown event was thrown. Absent without a stack, and in runs of older versions. */
  readonly place?: CrashPlace | undefined;
  /** Of all occurrences. */
  readonly doors: readonly Door[];
  /** Of all occurrences. Absent in runs of older versions; see `sourcesOf`. */
  readonly sources?: readonly Source[] | undefined;
  /** The latest trusted event; the latest of all if none is trusted. */
  readonly event: Event;
  readonly revision: Revision | null;
  readonly suspects: readonly Suspect[];
  readonly no_suspect: NoSuspect | null;
  /** Who owns the crashed file and those of the suspects' changes. Absent or `null`: nobody knows. */
  readonly ownership?: Ownership | null | undefined;
  /** The release that crashed first, and its deploy. Absent or `null`: unknown. */
  readonly release_window?: RunRelease | null | undefined;
  readonly explanation: Explanation | null;
  readonly draft: Draft | null;
  readonly publication: Publication | null;
  /** The published run whose issue was closed before this crash. */
  readonly regression_of: string | null;
  /** Id of the latest run that is a regression of this one. Absent: none, or an older version started it; see `RunStory`. */
  readonly came_back_as?: string | undefined;
  /** The reviewer who approved Gate 1 in this cycle. Absent or `null`: nobody yet, or the run is of an older version. */
  readonly approved_by?: string | null | undefined;
  /** What closed the issue, while it is closed as completed. Absent or `null`: unknown. */
  readonly fix?: RunFix | null | undefined;
  /** Set on a published run that is over. Absent or `null`: it is not. */
  readonly resolution?: Resolution | null | undefined;
  /** What the last decision about `resolution` does to the issue. Absent or `null`: nothing. */
  readonly follow_up?: FollowUp | null | undefined;
  /** The earlier issue that gets a comment with the link of this run's new issue. Absent or `null`: none does. */
  readonly link_back?: LinkBack | null | undefined;
  /** To whom reviewers handed the published run, at most once for each target. Absent: to nobody. */
  readonly hand_offs?: readonly HandOff[] | undefined;
  /** Id of the run that this one was merged into. Absent or `null`: none. */
  readonly merged_into?: string | null | undefined;
  /** This run, then the runs merged into it, and what each has counted. Absent: none was merged. */
  readonly members?: readonly RunMember[] | undefined;
  readonly last_error: RunError | null;
  /** Set while a reviewer's return to Gate 1 is the last decision about a draft. */
  readonly returned?: Returned | null | undefined;
  /** Set while the run is snoozed. */
  readonly snooze?: Snooze | null | undefined;
  /** Why the run is back from a snooze that ended by itself, until the next decision. */
  readonly woken?: Woken | null | undefined;
  /** Possibly over: read it with `claimOf`. */
  readonly claim?: RunClaim | null | undefined;
  /** Number of reviewers' comments; the history has them. Absent: none. */
  readonly comments?: number | undefined;
  /** How many versions changed only the claim or the comments. Absent: none. */
  readonly remarks?: number | undefined;
  /** 1 for the first run of a fingerprint in a project; a later run of the same one has the next number. */
  readonly generation: number;
  /** How often the run has entered `staged_raw`, from 1; waking there is not counted. A gate is idempotent within one cycle. */
  readonly cycle: number;
  /** Incremented by every change except the counting of occurrences; also if that ends a snooze or starts a regression. */
  readonly version: number;
  /** Latest activity, ISO 8601; lists are ordered by it. Occurrences of a quiet (rejected) run do not change it. */
  readonly updated_at: string;
}

/** A run in a list, without the members that only its own page needs. */
export type RunSummary = Omit<
  Run,
  'event' | 'explanation' | 'draft' | 'suspects' | 'ownership' | 'release_window'
> & {
  readonly suspects: readonly Pick<Suspect, 'sha' | 'title' | 'probability' | 'verdict' | 'author'>[];
  readonly draft: Pick<Draft, 'digest' | 'title' | 'edited_by'> | null;
};

/** Engine state that is stored with a run and not shown. */
export interface RunRecord {
  readonly run: Run;
  /** Set before the first attempt to publish: what was signed and what was attempted. */
  readonly intent: PublishIntent | null;
  /** The process working on `analyzing` or `publishing`; `null` if none. */
  readonly lease: Lease | null;
  /** Expected history: number of entries and the last seal. Absent without an audit key. */
  readonly sealed?: { readonly entries: number; readonly mac: string };
}

/** A signed publication and the progress of its attempts, stored before the first one. */
export interface PublishIntent {
  readonly digest: string;
  readonly marker: string;
  readonly reviewer: string;
  /** The trailer names `reviewer`. Absent: an older version signed, and its trailer names nobody. */
  readonly named?: true;
  /** Seal of the last history entry before Gate 2, as in the trailer. Absent without an audit key. */
  readonly audit?: string;
  /** ISO 8601: when Gate 2 was approved. */
  readonly signed_at: string;
  /** Number of POSTs that may have reached the code host. */
  readonly attempts: number;
  /** True while a POST may have created an issue that no listing contains yet. */
  readonly ambiguous: boolean;
  /** Number of listings without the issue since the last POST. */
  readonly looks: number;
  /** Consecutive failed calls, for the backoff. */
  readonly failures: number;
  /** ISO 8601: earliest time of the next listing or POST; `null` for now. */
  readonly not_before: string | null;
  /** The comment, once it exists; the issue is then opened. */
  readonly comment?: SignedComment;
}

/** A comment that was added to the issue that a run reopens. */
export interface SignedComment {
  readonly url: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly divergence: readonly string[];
}

/** Exclusive right of one engine to work on a run for a limited time. */
export interface Lease {
  readonly owner: string;
  /** Incremented whenever the lease is taken; a change with an older token is rejected. */
  readonly token: number;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** The summary of a run, as lists show it. */
export function summarise(run: Run): RunSummary {
  const { event: _event, explanation: _explanation, ownership: _ownership, ...shown } = run;
  const { release_window: _window, draft, suspects, ...rest } = shown;
  return {
    ...rest,
    suspects: suspects.map(({ sha, title, probability, verdict, author }) => ({
      sha,
      title,
      probability,
      verdict,
      author,
    })),
    draft: draft && { digest: draft.digest, title: draft.title, edited_by: draft.edited_by },
  };
}
