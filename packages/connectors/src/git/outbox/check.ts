import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import type { Check } from '@culprit/core';

/** May the folder be written? Makes it where it is missing. */
export async function checkOutbox(directory: string): Promise<readonly Check[]> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.R_OK | constants.W_OK);
    return [{ name: 'outbox', ok: true, detail: directory }];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail = `${directory} cannot be written (${code ?? 'unknown'}). Give another folder, or the right to write this one.`;
    return [{ name: 'outbox', ok: false, detail }];
  }
}
