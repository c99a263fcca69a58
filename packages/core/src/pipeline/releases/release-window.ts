import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Release, ReleaseWindow, RunRelease } from '../../domain/release.js';
import type { Run } from '../../domain/run.js';
import type { AnalysisConfig } from '../analysis.js';
import type { ReleaseBook } from './release-book.js';

/** A deploy further back says nothing about a crash. */
const WINDOW_MS = 7 * 24 * 60 * 60_000;
/** Releases whose deploys are compared when the crash names none. */
const MAX_COMPARED = 20;

type Incident = Pick<
  EvidenceBundle['incident'],
  'releases' | 'environments' | 'first_seen' | 'first_crash_at'
>;
type Deployed = { readonly release: Release; readonly environment: string; readonly at: string };

/**
 * The release in which a run crashed first: of the recorded ones that its crashes name, the last one deployed before the
 * first crash, in an environment that they name. Crashes without a release are matched by deploys alone. `null`: unknown.
 */
export async function releaseWindow(
  { project, incident }: { readonly project: string; readonly incident: Incident },
  book: Pick<ReleaseBook, 'find' | 'versions' | 'commits'>,
): Promise<ReleaseWindow | null> {
  const crashedAt = incident.first_crash_at ?? incident.first_seen;
  const named = incident.releases.length > 0;
  const versions = named
    ? incident.releases
    : (await book.versions(project)).slice(0, MAX_COMPARED).map(({ version }) => version);
  const found = await Promise.all(versions.map((version) => book.find(project, version)));
  const releases = found.filter((one) => one !== null && !one.archived) as readonly Release[];
  const deployed = lastDeploy(releases, incident.environments, crashedAt);
  const release = deployed?.release ?? (named && releases.length === 1 ? releases[0] : undefined);
  if (release === undefined) return null;
  const commits = await book.commits(project, release.version);
  return {
    version: release.version,
    commit: release.commit,
    commits: commits?.map(({ sha }) => sha) ?? null,
    more_commits: release.more_commits,
    deploy: deployed && { environment: deployed.environment, at: deployed.at },
  };
}

function lastDeploy(
  releases: readonly Release[],
  environments: readonly string[],
  crashedAt: string,
): Deployed | null {
  const crashed = Date.parse(crashedAt);
  const before = releases.flatMap((release) =>
    release.deploys.flatMap(({ environment, finished_at }): readonly Deployed[] => {
      const passed = crashed - Date.parse(finished_at);
      const there = environments.length === 0 || environments.includes(environment);
      return there && passed >= 0 && passed <= WINDOW_MS ? [{ release, environment, at: finished_at }] : [];
    }),
  );
  return before.reduce<Deployed | null>(
    (last, one) => (last === null || one.at > last.at ? one : last),
    null,
  );
}

/** What the run shows of the window. */
export function runReleaseOf(
  window: ReleaseWindow | null,
  { first_crash_at, first_seen }: Pick<Run, 'first_crash_at' | 'first_seen'>,
): RunRelease | null {
  if (window === null) return null;
  const { version, commits, more_commits, deploy } = window;
  const crashed = Date.parse(first_crash_at ?? first_seen);
  return {
    version,
    commits: commits?.length ?? null,
    more_commits,
    deploy: deploy && { ...deploy, after_ms: Math.max(0, crashed - Date.parse(deploy.at)) },
  };
}

/** What the recorded releases add to an analysis. Part of its configuration, and so of the evidence. */
export async function releaseFacts(
  { project, event }: Pick<Run, 'project' | 'event'>,
  incident: Incident,
  book: Pick<ReleaseBook, 'find' | 'versions' | 'commits'>,
): Promise<Pick<AnalysisConfig, 'releaseCommit' | 'releaseWindow'>> {
  const named =
    event.commit === null && event.release !== null ? await book.find(project, event.release) : null;
  const window = await releaseWindow({ project, incident }, book);
  return {
    ...(named?.commit ? { releaseCommit: named.commit } : {}),
    ...(window === null ? {} : { releaseWindow: window }),
  };
}
