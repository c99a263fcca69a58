import type { Release } from '@culprit/core';
import type { Deploy, ReleaseCommit, ReleaseCounts, RunRelease } from '@culprit/core/internal/domain/release';
import * as v from 'valibot';

const about = <const Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text));
const texts = v.nullable(v.string());

export const runReleaseSchema = v.object({
  version: v.string(),
  commits: about(v.nullable(v.number()), 'How many commits it brought. `null`: unknown.'),
  more_commits: about(v.boolean(), 'It brought more than that.'),
  deploy: about(
    v.nullable(
      v.object({
        environment: v.string(),
        at: v.string(),
        after_ms: about(v.number(), 'Milliseconds from the deploy to the first crash.'),
      }),
    ),
    'The last deploy before the first crash. `null`: none, or it is more than a week ago.',
  ),
}) satisfies v.GenericSchema<RunRelease>;

export const deploySchema = v.object({
  id: v.string(),
  environment: v.string(),
  name: texts,
  url: texts,
  started_at: texts,
  finished_at: v.string(),
}) satisfies v.GenericSchema<Deploy>;

export const releaseCommitSchema = v.object({
  sha: v.string(),
  title: v.string(),
  committed_at: texts,
}) satisfies v.GenericSchema<ReleaseCommit>;

export const releaseSchema = v.object({
  project: v.string(),
  version: v.string(),
  created_at: v.string(),
  started_at: texts,
  finalised_at: about(texts, '`null`: not finalised.'),
  url: texts,
  archived: v.boolean(),
  commit: about(texts, 'Full SHA. `null`: unknown.'),
  previous_commit: about(texts, 'The commit of the release before. `null`: unknown.'),
  commits: about(v.nullable(v.number()), 'How many commits it brought. `null`: unknown.'),
  more_commits: about(v.boolean(), 'It brought more than that.'),
  deploys: about(v.array(deploySchema), 'Newest first, at most 50.'),
}) satisfies v.GenericSchema<Release>;

const share = (time: string) =>
  about(
    v.nullable(v.number()),
    `Share of the project’s crashes of the last ${time}, 0 to 1. \`null\`: there were none.`,
  );

export const releaseCountsSchema = v.object({
  version: v.string(),
  first_crash_at: v.string(),
  last_crash_at: v.string(),
  crashes: v.number(),
  new_runs: v.number(),
  regressed_runs: v.number(),
  hour_share: share('60 minutes'),
  day_share: share('24 hours'),
}) satisfies v.GenericSchema<ReleaseCounts>;

/** A release, recorded or named by crashes, in a list. */
export const listedReleaseSchema = v.object({
  project: v.string(),
  version: v.string(),
  at: about(v.string(), 'When it was recorded; if it was not, receipt of its first crash.'),
  release: about(v.nullable(releaseSchema), '`null`: not recorded; crashes name it.'),
  counts: about(v.nullable(releaseCountsSchema), '`null`: none of its crashes is counted.'),
}) satisfies v.GenericSchema<ListedRelease>;
export interface ListedRelease {
  readonly project: string;
  readonly version: string;
  readonly at: string;
  readonly release: Release | null;
  readonly counts: ReleaseCounts | null;
}
