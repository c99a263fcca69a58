import { join } from 'node:path';
import type { Check, Logger } from '@culprit/core/connector';
import { systemClock } from '@culprit/core/internal/system';
import type { Driver } from '@culprit/core/store';
import type { DriverOptions } from '../drivers.js';
import { type LevelKeyValue, levelKeyValue } from './level-key-value.js';

/** Storage in a directory that one process owns. */
export async function openLevel(directory: string, { logger }: DriverOptions): Promise<Driver> {
  const store = await levelKeyValue(join(directory, 'store'));
  const tables = watchTables(store, logger);
  return {
    store: { ...store, close: () => tables.stop().then(store.close) },
    detail: `Durable in ${directory}, used by this process only.`,
    compact: store.compact,
    checks: tables.damage,
  };
}

/** Between two tables of 16 MiB, whose checksums take about 50 ms. */
const PAUSE_MS = 500;
const FIX = 'Stop core and run: culprit store repair';

/** Compares the checksums of all tables once, in the background, because LevelDB reads damaged ones without a word. */
function watchTables(level: LevelKeyValue, logger: Logger) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const pause = async () => {
    await systemClock.sleep(PAUSE_MS, signal, true).catch(() => {});
    signal.throwIfAborted();
  };
  let found: readonly string[] = [];
  const running = level.damagedTables(pause).then(
    (tables) => {
      found = tables;
      if (tables.length > 0) logger.error({ tables }, `the storage is damaged. ${FIX}`);
    },
    (error: unknown) => {
      if (!signal.aborted) logger.warn({ err: error }, 'the tables of the storage could not be checked');
    },
  );
  const damage = (): readonly Check[] => {
    if (found.length === 0) return [];
    const detail = `Damaged: ${found.join(', ')}. ${FIX}`;
    return [{ name: 'storage tables', ok: false, optional: true, detail }];
  };
  return {
    damage,
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}
