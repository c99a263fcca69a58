import type { Engine } from '@culprit/core';
import type { ListedRelease } from '@culprit/core/internal/domain/release';

/** A release that is recorded, or that crashes have named. */
export interface KnownRelease {
  readonly project: string;
  readonly version: string;
  /** When it was recorded; if it was not, receipt of its first crash. ISO 8601. */
  readonly at: string;
}

/** Of these projects, newest first. Reads one list and one set of counts for each project, and no run. */
export async function knownReleases(
  { releases }: Engine,
  projects: readonly string[],
): Promise<readonly KnownRelease[]> {
  const known = await Promise.all(
    projects.map(async (project) => {
      const [recorded, counted] = await Promise.all([releases.versions(project), releases.counts(project)]);
      const names = new Set(recorded.map(({ version }) => version));
      return [
        ...recorded.map(({ version, at }) => ({ project, version, at: new Date(at).toISOString() })),
        ...counted
          .filter(({ version }) => !names.has(version))
          .map(({ version, first_crash_at }) => ({ project, version, at: first_crash_at })),
      ];
    }),
  );
  return known.flat().sort((a, b) => (a.at === b.at ? compare(b, a) : a.at < b.at ? 1 : -1));
}

function compare(a: KnownRelease, b: KnownRelease): number {
  return `${a.project}\n${a.version}` < `${b.project}\n${b.version}` ? -1 : 1;
}

/** With what is recorded and counted of each. */
export async function withFacts(
  { releases }: Engine,
  known: readonly KnownRelease[],
): Promise<readonly ListedRelease[]> {
  const projects = [...new Set(known.map(({ project }) => project))];
  const counted = new Map(
    await Promise.all(projects.map(async (name) => [name, await releases.counts(name)] as const)),
  );
  return Promise.all(
    known.map(async (one) => ({
      ...one,
      release: await releases.find(one.project, one.version),
      counts: counted.get(one.project)?.find(({ version }) => version === one.version) ?? null,
    })),
  );
}
