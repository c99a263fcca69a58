import * as v from 'valibot';
import { claimSchema } from './claim.js';
import { returnedSchema } from './comeback.js';
import { placeSchema } from './crash-place.js';
import { draftSchema } from './draft.js';
import { eventSchema, LEVELS } from './event.js';
import { explanationSchema } from './explanation.js';
import { fingerprintSchema } from './fingerprint.js';
import { runFixSchema } from './fix.js';
import { handOffSchema } from './hand-off.js';
import { gapSchema } from './history-gap.js';
import { investigationSchema } from './investigation.js';
import { counted, memberSchema } from './member.js';
import { ownershipSchema } from './ownership.js';
import { runReleaseSchema } from './release.js';
import { followUpSchema, linkBackSchema, resolutionSchema } from './resolution.js';
import { errorSchema } from './run-error.js';
import { about, type Doc, named, text, texts } from './schema.js';
import { snoozeSchema, wokenSchema } from './snooze.js';
import { noSuspectSchema, suspectSchema } from './suspect.js';
import { affectedUsersSchema } from './user-count.js';

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
const revisionSchema = v.object({
  sha: v.string(),
  how: v.picklist(REVISION_SOURCES),
  gaps: about(
    v.optional(v.array(gapSchema)),
    'What the repository does not show there. Absent: nothing is known to be missing.',
  ),
});
/** The commit that crashed, and how it was determined; `head` is a guess and is shown as one. */
export interface Revision extends Doc<typeof revisionSchema> {}

const publicationSchema = v.object({
  issue_url: v.string(),
  number: v.number(),
  comment_url: about(
    v.optional(v.string()),
    'The comment that reopened the issue. Absent: the issue was created.',
  ),
  published_at: v.string(),
  digest: v.string(),
  divergence: about(
    texts,
    'What the code host changed or dropped, for display: `label "culprit" was dropped`.',
  ),
});
/** The issue a run was published as. */
export interface Publication extends Doc<typeof publicationSchema> {}

/** What crashed. */
const facts = {
  run_id: v.string(),
  project: v.string(),
  state: v.picklist(RUN_STATES),
  title: v.string(),
  fingerprint: fingerprintSchema,
  level: v.picklist(LEVELS),
  platform: v.string(),
  ...counted,
  users: about(
    v.optional(affectedUsersSchema),
    'Distinct users of the crashes with a user, of the trusted ones if there are any. `more`: over 1,000. Absent: not counted yet.',
  ),
  place: about(
    v.optional(placeSchema),
    'Where the shown crash was thrown. Absent without a stack, and in runs of older versions.',
  ),
  generation: about(
    v.number(),
    '1 for the first run of a fingerprint in a project; a later one has the next number.',
  ),
  cycle: about(
    v.number(),
    'How often the run has entered `staged_raw`, from 1; waking there is not counted. A gate is idempotent within one cycle.',
  ),
  version: about(
    v.number(),
    'Incremented by every change except the counting of occurrences; also if that ends a snooze or starts a regression.',
  ),
  updated_at: about(
    v.string(),
    'Latest activity, ISO 8601; lists are ordered by it. Occurrences of a quiet (rejected) run do not change it.',
  ),
};

/** What the analysis found. */
const analysis = {
  revision: v.nullable(revisionSchema),
  no_suspect: v.nullable(noSuspectSchema),
  last_error: errorSchema,
};

/** The issue, and what became of it. */
const publication = {
  publication: v.nullable(publicationSchema),
  regression_of: about(text, 'The published run whose issue was closed before this crash.'),
  came_back_as: about(
    v.optional(v.string()),
    'The latest run that is a regression of this one. Absent: none is known.',
  ),
  fix: about(
    v.optional(v.nullable(runFixSchema)),
    'What closed the issue, while it is closed as completed, and the releases without it that crashed since.',
  ),
  resolution: about(
    v.optional(v.nullable(resolutionSchema)),
    'Set on a published run that is over: its next crash is a regression.',
  ),
  follow_up: about(
    v.optional(v.nullable(followUpSchema)),
    'What the latest decision about `resolution` does to the issue, and whether it is done.',
  ),
  link_back: about(
    v.optional(v.nullable(linkBackSchema)),
    'The earlier issue that gets a comment with the link of the new issue of this regression. `change` is set once the run is published.',
  ),
  hand_offs: about(
    v.optional(v.array(handOffSchema)),
    'To whom reviewers handed the published run, at most once for each target.',
  ),
};

/** What reviewers decided and said. */
const triage = {
  approved_by: about(
    v.optional(text),
    'The reviewer who approved Gate 1 in this cycle. Absent in runs that an older version analysed.',
  ),
  merged_into: about(v.optional(text), 'The run that counts its crashes. Absent or null: none.'),
  members: about(
    v.optional(v.array(memberSchema)),
    'This run, then the runs merged into it, with what each has counted. Absent: none.',
  ),
  returned: about(
    v.optional(v.nullable(returnedSchema)),
    'The return of its draft to Gate 1, until Gate 1 is approved again.',
  ),
  snooze: about(
    v.optional(v.nullable(snoozeSchema)),
    'Set in `snoozed`: the state to return to, and what the run waits for.',
  ),
  woken: about(
    v.optional(v.nullable(wokenSchema)),
    'Why the run is back from a snooze that ended by itself, until the next decision.',
  ),
  claim: about(
    v.optional(v.nullable(claimSchema)),
    'The reviewer who is looking at the run. The claim ends at `until`.',
  ),
  pinned: about(
    v.optional(v.nullable(v.object({ by: v.string(), at: v.string() }))),
    'Who pinned the run, and when (ISO 8601): it stands first in its group of the inbox. Absent or null: nobody.',
  ),
  comments: about(v.optional(v.number()), 'Number of comments; the history has them.'),
  remarks: about(
    v.optional(v.number()),
    'How many versions changed only the claim, the pin, the comments or the progress of an investigation.',
  ),
};

/** What only the run's own page needs. */
const details = {
  suspects: v.array(suspectSchema),
  release_window: about(
    v.optional(v.nullable(runReleaseSchema)),
    'The release that crashed first, and its deploy. Absent or null: unknown.',
  ),
  ownership: about(
    v.optional(v.nullable(ownershipSchema)),
    'Who owns the files, by the repository’s code owners file. Absent or null: unknown.',
  ),
  explanation: v.nullable(explanationSchema),
  investigation: about(
    v.optional(v.nullable(investigationSchema)),
    'The latest investigation of this cycle. Absent or null: none.',
  ),
  draft: v.nullable(draftSchema),
};

/** The members of a run by what sets them; the facts are set when crashes are recorded. */
export const runGroups = { analysis, publication, triage, details } as const;
/** Members of these groups that no patch sets: merging and regressions do. */
export const SET_ELSEWHERE = ['regression_of', 'came_back_as', 'merged_into', 'members'] as const;

const common = { ...facts, ...analysis, ...publication, ...triage };
export const runSchema = named(
  'Run',
  'A run: one incident under triage, with its shown crash, suspects, explanation and draft.',
  v.object({
    ...common,
    event: eventSchema,
    ...details,
  }),
);
/** One incident: a fingerprint under triage. Frozen as `culprit.run/1`; this is what the API shows. */
export interface Run extends Doc<typeof runSchema> {}

const { sha, title, probability, verdict, author } = suspectSchema.entries;
const { digest, title: draftTitle, edited_by } = draftSchema.entries;
export const runSummarySchema = named(
  'RunSummary',
  'A run as it appears in lists.',
  v.object({
    ...common,
    suspects: v.array(v.object({ sha, title, probability, verdict, author })),
    draft: v.nullable(v.object({ digest, title: draftTitle, edited_by })),
  }),
);
/** A run in a list, without the members that only its own page needs. */
export interface RunSummary extends Doc<typeof runSummarySchema> {}

export const runPageSchema = named(
  'RunPage',
  'A page of runs.',
  v.object({
    /** In the order of the query; ties by run id. A page may hold fewer runs than the limit, even none, and have a `next`. */
    runs: v.array(runSummarySchema),
    next: text,
    total: about(v.optional(v.nullable(v.number())), 'Of a search: how many runs match. `null`: unknown.'),
    indexing: about(
      v.optional(v.boolean()),
      'Some runs of an older version are not indexed yet; the search does not find them.',
    ),
  }),
);

/** One page of run summaries. */
export interface RunPage extends Doc<typeof runPageSchema> {}

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

const DETAILS = new Set(Object.keys(details));
/** What only the run's own page needs, without the event. */
export type RunDetail = Pick<Run, keyof typeof details>;

function partOf(run: Run, has: (name: string) => boolean): unknown {
  return Object.fromEntries(Object.entries(run).filter(([name]) => has(name)));
}

export function detailOf(run: Run): RunDetail {
  return partOf(run, (name) => DETAILS.has(name)) as RunDetail;
}

/** The summary of a run, as lists show it. */
export function summarise(run: Run): RunSummary {
  const { draft, suspects } = run;
  const shown = partOf(run, (name) => name !== 'event' && !DETAILS.has(name));
  return {
    ...(shown as Omit<Run, 'event' | keyof RunDetail>),
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
