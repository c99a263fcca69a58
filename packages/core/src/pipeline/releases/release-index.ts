import { RELEASE_LIMITS } from '../../domain/release.js';
import type { Values } from '../../ports/values.js';
import { commitsKey, indexKey, releaseKey } from './release-keys.js';

/** Version and time of recording in milliseconds since 1970, newest first. */
export type IndexRow = readonly [version: string, at: number];

export async function readIndex(values: Values, project: string): Promise<readonly IndexRow[]> {
  return rowsOf(await values.get(indexKey(project)));
}

function rowsOf(text: string | undefined): readonly IndexRow[] {
  return text === undefined ? [] : (JSON.parse(text) as IndexRow[]);
}

/** Lists a release. Beyond the bound the oldest one is deleted. */
export async function addToIndex(values: Values, project: string, row: IndexRow): Promise<void> {
  let dropped: readonly IndexRow[] = [];
  await values.change(indexKey(project), (text) => {
    const rows = rowsOf(text);
    dropped = [];
    if (rows.some(([version]) => version === row[0])) return undefined;
    const sorted = [...rows, row].sort(([a, atA], [b, atB]) => atB - atA || (a < b ? 1 : -1));
    dropped = sorted.slice(RELEASE_LIMITS.releases);
    return JSON.stringify(sorted.slice(0, RELEASE_LIMITS.releases));
  });
  for (const [version] of dropped) await deleteParts(values, project, version);
}

export async function dropFromIndex(values: Values, project: string, version: string): Promise<void> {
  await values.change(indexKey(project), (text) => {
    const rows = rowsOf(text);
    const left = rows.filter(([one]) => one !== version);
    return left.length === rows.length ? undefined : JSON.stringify(left);
  });
  await deleteParts(values, project, version);
}

async function deleteParts(values: Values, project: string, version: string): Promise<void> {
  await values.delete(commitsKey(project, version));
  await values.delete(releaseKey(project, version));
}
