/** Each part is encoded, so that no name can imitate another key. */
const place = (project: string, version: string) =>
  `${encodeURIComponent(project)}/${encodeURIComponent(version)}`;

/** The newest releases of a project: versions and when each was recorded. */
export const indexKey = (project: string) => `releases:${encodeURIComponent(project)}`;
export const releaseKey = (project: string, version: string) => `release:${place(project, version)}`;
export const commitsKey = (project: string, version: string) => `release-commits:${place(project, version)}`;
export const countsKey = (project: string) => `release-counts:${encodeURIComponent(project)}`;
