import { CulpritError, type Release } from '@culprit/core';
import type { ReviewerCall } from '../route.js';
import { projectsOf } from './sentry-route.js';

/** A version in several projects: Sentry's releases belong to the organisation. */
export interface FoundReleases {
  readonly version: string;
  /** At least one. */
  readonly releases: readonly [Release, ...Release[]];
}

/** The releases with the version of the path, in every project that the credential may see. @throws `not_found` */
export async function releasesOf(call: ReviewerCall, version = versionOf(call)): Promise<FoundReleases> {
  const projects = projectsOf(call);
  const found = await Promise.all(projects.map((project) => call.engine.releases.find(project, version)));
  const [first, ...more] = found.filter((one) => one !== null);
  if (first === undefined) {
    const detail = `No project has a release ${JSON.stringify(version.slice(0, 200))}. Create it with: sentry-cli releases new`;
    throw new CulpritError('not_found', detail);
  }
  return { version, releases: [first, ...more] };
}

export function versionOf({ request }: ReviewerCall): string {
  return request.params.version ?? '';
}
