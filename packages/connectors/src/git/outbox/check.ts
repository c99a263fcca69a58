import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Check } from '@culprit/core';

/** Whether the folder is writable or, if it does not exist yet, can be created. Writes nothing. */
export async function checkOutbox(directory: string): Promise<readonly Check[]> {
  try {
    const existing = await nearest(resolve(directory));
    if (!(await stat(existing)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    await access(existing, constants.R_OK | constants.W_OK);
    return [{ name: 'outbox', ok: true, detail: directory }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail = `${directory} is not writable (${code ?? 'unknown'}). Choose another folder, or grant write permission.`;
    return [{ name: 'outbox', ok: false, detail }];
  }
}

/** The path itself, or its closest existing parent. */
async function nearest(path: string): Promise<string> {
  return access(path).then(
    () => path,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
      return nearest(dirname(path));
    },
  );
}
