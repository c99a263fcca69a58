import type { Storage } from '@culprit/core/testing';
import { storage } from '../../../src/storage/index.js';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The embedded storage in `directory`. */
export async function openStorage(directory: string) {
  const setup = storage({ url: `file:${directory}` }).setup({
    fetch,
    logger,
    signal: new AbortController().signal,
  });
  return (await setup) as unknown as Storage & {
    check(signal: AbortSignal): Promise<unknown>;
    close(): Promise<void>;
  };
}
