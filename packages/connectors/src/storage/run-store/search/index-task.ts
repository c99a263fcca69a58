import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@culprit/core';
import type { RetentionParts } from '../retention.js';
import { indexRuns } from './index-runs.js';
import { sealBlocks } from './seal-blocks.js';

export interface IndexingOptions extends Pick<RetentionParts, 'reads' | 'writer'> {
  readonly logger: Logger;
}

/** Time between looks for full blocks, between attempts, and between steps of indexing older runs. */
const LOOK_MS = 5_000;
const PAUSE_MS = 50;

/** Indexes runs that are not in the index, then seals blocks in the background until it is stopped. */
export function startIndexing({ reads, writer, logger }: IndexingOptions): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});
  const stepPause = async () => {
    await pause(PAUSE_MS);
    signal.throwIfAborted();
  };
  let indexed = false;
  const work = async (): Promise<void> => {
    if (!indexed) {
      const runs = await indexRuns({ reads, writer }, stepPause);
      if (runs > 0) logger.info({ runs }, 'indexed the stored runs for searches');
      indexed = true;
    }
    await sealBlocks(writer);
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await work().catch((error) => {
        if (!signal.aborted) logger.warn({ err: error }, 'indexing runs failed; retrying');
      });
      await pause(LOOK_MS);
    }
  };
  const done = loop();
  return async () => {
    stopped.abort();
    await done;
  };
}
