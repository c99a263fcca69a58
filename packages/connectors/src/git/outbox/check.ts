import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import type { Check } from '@culprit/core';

/** Whether the folder is writable. Creates it if it is missing. */
export async function checkOutbox(directory: string): Promise<readonly Check[]> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.R_OK | constants.W_OK);
    return [{ name: 'outbox', ok: true, detail: directory }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail = `${directory} is not writable (${code ?? 'unknown'}). Choose another folder, or grant write permission.`;
    return [{ name: 'outbox', ok: false, detail }];
  }
}
