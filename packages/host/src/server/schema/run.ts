import type { HistoryEntry, Run, RunSummary } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import { DOORS, LEVELS } from '@culprit/core/internal/domain/event';
import { SURFACES } from '@culprit/core/internal/domain/history';
import { REVISION_SOURCES, RUN_STATES } from '@culprit/core/internal/domain/run';
import { WAKE_REASONS } from '@culprit/core/internal/domain/snooze';
import { TRUSTS } from '@culprit/core/internal/domain/trust';
import * as v from 'valibot';
import { eventSchema, jsonObjectSchema } from './event.js';
import { claimsSchema } from './explanation.js';
import { handOffMembers } from './hand-off.js';
import { memberSchema, sourceSchema } from './member.js';
import { ownershipSchema } from './ownership.js';
import { runReleaseSchema } from './release.js';
import { resolutionMembers } from './resolution.js';
import { comebackMembers } from './story.js';
import { gapSchema, noSuspectSchema, suspectSchema } from './suspect.js';

const texts = v.array(v.string());
const stateSchema = v.picklist(RUN_STATES);
export const errorSchema = v.nullable(
  v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() }),
);

const explanationSchema = v.object({
  source: v.picklist(['template', 'model']),
  model: v.nullable(v.string()),
  claims: claimsSchema,
  insufficient: v.boolean(),
  note: v.nullable(v.string()),
});

export const reopensSchema = v.pipe(
  v.object({
    number: v.number(),
    url: v.string(),
    only_comment: v.optional(
      v.pipe(v.literal(true), v.description('The issue is not opened. Absent: it is.')),
    ),
  }),
  v.description('The body becomes a comment on this issue, which is then opened. Absent: a new issue.'),
);

export const draftSchema = v.object({
  title: v.string(),
  body: v.string(),
  labels: texts,
  assignees: texts,
  repository: v.string(),
  reopens: v.optional(reopensSchema),
  digest: v.pipe(v.string(), v.description('SHA-256 of the canonical form; the ETag.')),
  edited_by: v.nullable(v.string()),
  trust: v.optional(v.picklist(TRUSTS)),
}) satisfies v.GenericSchema<unknown, Draft>;

const untilSchema = v.variant('kind', [
  v.object({ kind: v.literal('time'), at: v.string() }),
  v.object({ kind: v.literal('crashes'), more: v.number() }),
  v.object({ kind: v.literal('release') }),
]);
const turnMembers = {
  snooze: v.optional(
    v.pipe(
      v.nullable(
        v.object({
          from: v.picklist(['staged_raw', 'staged_draft']),
          by: v.string(),
          at: v.string(),
          until: untilSchema,
          left: v.optional(v.pipe(v.number(), v.description('For `crashes`: how many are left.'))),
        }),
      ),
      v.description('Set in `snoozed`: the state to return to, and what the run waits for.'),
    ),
  ),
  woken: v.optional(
    v.pipe(
      v.nullable(
        v.object({
          at: v.string(),
          why: v.picklist(WAKE_REASONS),
          crashes: v.optional(v.number()),
          release: v.optional(v.string()),
        }),
      ),
      v.description('Why the run is back from a snooze that ended by itself, until the next decision.'),
    ),
  ),
  claim: v.optional(
    v.pipe(
      v.nullable(v.object({ by: v.string(), at: v.string(), until: v.string() })),
      v.description('The reviewer who looks at the run. It is over from `until` on.'),
    ),
  ),
  comments: v.optional(v.pipe(v.number(), v.description('Number of comments; the history has them.'))),
  remarks: v.optional(
    v.pipe(v.number(), v.description('How many versions changed only the claim or the comments.')),
  ),
};
const common = {
  run_id: v.string(),
  project: v.string(),
  state: stateSchema,
  title: v.string(),
  fingerprint: v.object({ version: v.string(), hash: v.string(), parts: texts }),
  level: v.picklist(LEVELS),
  platform: v.string(),
  occurrences: v.number(),
  users: v.optional(
    v.pipe(
      v.object({ count: v.number(), more: v.boolean() }),
      v.description(
        'Distinct users of the crashes with a user, of the trusted ones if there are any. `more`: over 1,000. Absent: not counted yet.',
      ),
    ),
  ),
  first_seen: v.pipe(
    v.string(),
    v.description('Receipt of the first crash; of the first trusted one if there is any.'),
  ),
  last_seen: v.pipe(
    v.string(),
    v.description('Receipt of the latest crash; of the latest trusted one if there is any.'),
  ),
  first_crash_at: v.optional(
    v.pipe(
      v.string(),
      v.description('When the first crash happened, by a trusted sender’s clock or else by its receipt.'),
    ),
  ),
  releases: texts,
  environments: texts,
  place: v.optional(
    v.pipe(
      v.object({
        function: v.nullable(v.string()),
        file: v.nullable(v.string()),
        line: v.nullable(v.number()),
      }),
      v.description(
        'Where the shown crash was thrown. Absent without a stack, and in runs of older versions.',
      ),
    ),
  ),
  doors: v.array(v.picklist(DOORS)),
  sources: v.optional(
    v.pipe(
      v.array(sourceSchema),
      v.description('How the crashes were received. Absent for runs of older versions.'),
    ),
  ),
  revision: v.nullable(
    v.object({
      sha: v.string(),
      how: v.picklist(REVISION_SOURCES),
      gaps: v.optional(
        v.pipe(
          v.array(gapSchema),
          v.description('What the repository does not show there. Absent: nothing is known to be missing.'),
        ),
      ),
    }),
  ),
  no_suspect: v.nullable(noSuspectSchema),
  publication: v.nullable(
    v.object({
      issue_url: v.string(),
      number: v.number(),
      comment_url: v.optional(v.string()),
      published_at: v.string(),
      digest: v.string(),
      divergence: texts,
    }),
  ),
  regression_of: v.nullable(v.string()),
  approved_by: v.optional(
    v.pipe(
      v.nullable(v.string()),
      v.description(
        'The reviewer who approved Gate 1 in this cycle. Absent in runs that an older version analysed.',
      ),
    ),
  ),
  fix: v.optional(
    v.pipe(
      v.nullable(
        v.object({
          commit: v.string(),
          pull_request: v.nullable(v.object({ number: v.number(), url: v.string() })),
          missing_in: texts,
          occurrences: v.number(),
        }),
      ),
      v.description(
        'What closed the issue, while it is closed as completed, and the releases without it that crashed since.',
      ),
    ),
  ),
  ...resolutionMembers,
  ...handOffMembers,
  merged_into: v.optional(
    v.pipe(v.nullable(v.string()), v.description('The run that counts its crashes. Absent or null: none.')),
  ),
  members: v.optional(
    v.pipe(
      v.array(memberSchema),
      v.description('This run, then the runs merged into it, with what each has counted. Absent: none.'),
    ),
  ),
  last_error: errorSchema,
  ...comebackMembers,
  ...turnMembers,
  generation: v.number(),
  cycle: v.number(),
  version: v.number(),
  updated_at: v.string(),
};

/** `culprit.run/1`. */
export const runSchema = v.object({
  ...common,
  event: eventSchema,
  suspects: v.array(suspectSchema),
  release_window: v.optional(
    v.pipe(
      v.nullable(runReleaseSchema),
      v.description('The release that crashed first, and its deploy. Absent or null: unknown.'),
    ),
  ),
  ownership: v.optional(
    v.pipe(
      v.nullable(ownershipSchema),
      v.description(
        'Who owns the files, by the repository’s code owners file. Absent or null: nobody knows.',
      ),
    ),
  ),
  explanation: v.nullable(explanationSchema),
  draft: v.nullable(draftSchema),
}) satisfies v.GenericSchema<unknown, Run>;

export const runSummarySchema = v.object({
  ...common,
  suspects: v.array(v.pick(suspectSchema, ['sha', 'title', 'probability', 'verdict', 'author'])),
  draft: v.nullable(v.pick(draftSchema, ['digest', 'title', 'edited_by'])),
}) satisfies v.GenericSchema<unknown, RunSummary>;

/** Response of `GET /api/v1/runs`. */
export const runPageSchema = v.object({
  runs: v.array(runSummarySchema),
  next: v.nullable(v.string()),
  total: v.optional(
    v.pipe(v.nullable(v.number()), v.description('Of a search: how many runs match. `null`: unknown.')),
  ),
  indexing: v.optional(
    v.pipe(
      v.boolean(),
      v.description('Some runs of an older version are not indexed yet; the search does not find them.'),
    ),
  ),
});

export const historyEntrySchema = v.object({
  sequence: v.number(),
  at: v.string(),
  kind: v.picklist(['decision', 'step']),
  name: v.string(),
  by: v.nullable(v.string()),
  via: v.picklist(SURFACES),
  from: v.nullable(stateSchema),
  to: v.nullable(stateSchema),
  digest: v.nullable(v.string()),
  ms: v.nullable(v.number()),
  error: errorSchema,
  detail: jsonObjectSchema,
}) satisfies v.GenericSchema<unknown, HistoryEntry>;
