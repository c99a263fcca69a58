import type { BlamedFile } from '@culprit/core';

/** Whether the path can exist in a tree. */
export function isTreePath(path: string): boolean {
  return path !== '' && !path.includes('\0') && !/(^|\/)(\.{1,2})?(\/|$)/.test(path);
}

/** The entry of a file that does not exist; `detail` says why. */
export function missingFile(path: string, detail: string): BlamedFile {
  return { path, status: 'missing', detail, ranges: [], history: [], lines: null };
}
