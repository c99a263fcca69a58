import { RELEASE_LIMITS } from '../../domain/release.js';
import type { Values } from '../../ports/values.js';
import { type StoredList, storedList } from '../../runs/stored.js';
import { commitsKey, indexKey, releaseKey } from './release-keys.js';

/** Version and time of recording in milliseconds since 1970, newest first. */
export type IndexRow = readonly [version: string, at: number];

export function releaseIndex(values: Values, project: string): StoredList<IndexRow> {
  return storedList(values, indexKey(project), { newest: 'first', most: RELEASE_LIMITS.releases });
}

/** Lists a release. Beyond the bound the oldest one is deleted. */
export async function addToIndex(values: Values, project: string, row: IndexRow): Promise<void> {
  let dropped: readonly IndexRow[] = [];
  await releaseIndex(values, project).change((rows) => {
    dropped = [];
    if (rows.some(([version]) => version === row[0])) return null;
    const sorted = [...rows, row].sort(([a, atA], [b, atB]) => atB - atA || (a < b ? 1 : -1));
    dropped = sorted.slice(RELEASE_LIMITS.releases);
    return sorted;
  });
  for (const [version] of dropped) await deleteParts(values, project, version);
}

export async function dropFromIndex(values: Values, project: string, version: string): Promise<void> {
  await releaseIndex(values, project).remove(([one]) => one === version);
  await deleteParts(values, project, version);
}

async function deleteParts(values: Values, project: string, version: string): Promise<void> {
  await values.delete(commitsKey(project, version));
  await values.delete(releaseKey(project, version));
}
