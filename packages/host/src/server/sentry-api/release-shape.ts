import type { Release } from '@culprit/core';
import type { Deploy, ReleaseCommit, ReleaseCounts } from '@culprit/core/internal/domain/release';
import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';

const text = v.nullish(v.string());

const commitSchema = v.object({
  id: v.string(),
  message: text,
  timestamp: text,
});
const refSchema = v.object({ repository: v.string(), commit: v.string(), previousCommit: text });

const facts = {
  url: text,
  dateStarted: text,
  dateReleased: text,
  status: v.nullish(v.picklist(['open', 'archived'])),
  refs: v.nullish(v.array(refSchema)),
  commits: v.nullish(v.array(commitSchema)),
};

/** What `sentry-cli` sends of a release. Other members are ignored: its later versions have more. */
export const changedRelease = v.object(facts);
export const newRelease = v.object({
  version: v.string(),
  projects: v.nullish(v.array(v.string())),
  ...facts,
});
export type SentFacts = v.InferOutput<typeof changedRelease>;

export const sentDeploy = v.object({
  environment: v.string(),
  name: text,
  url: text,
  dateStarted: text,
  dateFinished: text,
});

const project = v.object({ slug: v.string(), name: v.string() });

export const releaseShape = v.object({
  version: v.string(),
  status: v.picklist(['open', 'archived']),
  url: v.nullable(v.string()),
  dateCreated: v.string(),
  dateStarted: v.nullable(v.string()),
  dateReleased: v.nullable(v.string()),
  commitCount: v.number(),
  lastCommit: v.nullable(v.object({ id: v.string() })),
  deployCount: v.number(),
  newGroups: about(v.number(), 'New runs.'),
  lastEvent: about(v.nullable(v.string()), 'Receipt of the latest crash.'),
  projects: v.array(project),
});
export const deployShape = v.object({
  id: v.string(),
  environment: v.string(),
  name: v.nullable(v.string()),
  url: v.nullable(v.string()),
  dateStarted: v.nullable(v.string()),
  dateFinished: v.string(),
});
export const commitShape = v.object({
  id: v.string(),
  message: v.string(),
  dateCreated: v.nullable(v.string()),
});

/** A release, which may be one of several projects. The first is the one that is shown. */
export function sentryRelease(
  release: Release,
  projects: readonly string[],
  counts: ReleaseCounts | null,
): v.InferOutput<typeof releaseShape> {
  return {
    version: release.version,
    status: release.archived ? 'archived' : 'open',
    url: release.url,
    dateCreated: release.created_at,
    dateStarted: release.started_at,
    dateReleased: release.finalised_at,
    commitCount: release.commits ?? 0,
    lastCommit: release.commit === null ? null : { id: release.commit },
    deployCount: release.deploys.length,
    newGroups: counts?.new_runs ?? 0,
    lastEvent: counts?.last_crash_at ?? null,
    projects: projects.map((name) => ({ slug: name, name })),
  };
}

export function sentryDeploy(deploy: Deploy): v.InferOutput<typeof deployShape> {
  const { id, environment, name, url, started_at, finished_at } = deploy;
  return { id, environment, name, url, dateStarted: started_at, dateFinished: finished_at };
}

export function sentryCommit({ sha, title, committed_at }: ReleaseCommit): v.InferOutput<typeof commitShape> {
  return { id: sha, message: title, dateCreated: committed_at };
}

/** Commits as `sentry-cli` sends them. Of authors and patches nothing is kept. */
export function sentCommits(commits: NonNullable<SentFacts['commits']>): readonly ReleaseCommit[] {
  return commits.map(({ id, message, timestamp }) => ({
    sha: id,
    title: message ?? '',
    committed_at: timestamp ?? null,
  }));
}
