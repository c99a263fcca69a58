import { inAddress } from '../parts/text.js';

/** `#/releases/shop/shop%402.4.1` */
export function addressOfRelease(project: string, version: string): string {
  return `#/releases/${inAddress(project)}/${inAddress(version)}`;
}

/** `#/releases?project=shop` */
export function addressOfReleases(project: string | null): string {
  return project === null ? '#/releases' : `#/releases?${new URLSearchParams({ project })}`;
}

/** Abbreviates a release that is a commit. */
export function shortVersion(version: string): string {
  return /^[0-9a-f]{40}$/.test(version) ? version.slice(0, 12) : version;
}
