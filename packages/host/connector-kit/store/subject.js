import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyValueContract } from '@culprit/core/testing';
import { openStore } from './index.js';

export const suite = keyValueContract;
/** A new store, and the same one opened again after it was closed. */
export const make = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'NAME-'));
  const path = join(folder, 'store.jsonl');
  const store = await openStore(path);
  return {
    store,
    reopen: () => openStore(path),
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
};
