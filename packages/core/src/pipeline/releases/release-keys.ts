import type { StoredKey } from '../../domain/stored-values.js';

/** Each part is encoded, so that no name can imitate another key. */
const place = (project: string, version: string) =>
  `${encodeURIComponent(project)}/${encodeURIComponent(version)}`;

/** The newest releases of a project: versions and when each was recorded. */
export const indexKey = (project: string): StoredKey => `releases:${encodeURIComponent(project)}`;
export const releaseKey = (project: string, version: string): StoredKey =>
  `release:${place(project, version)}`;
export const commitsKey = (project: string, version: string): StoredKey =>
  `release-commits:${place(project, version)}`;
export const countsKey = (project: string): StoredKey => `release-counts:${encodeURIComponent(project)}`;
