import type { Check, Logger } from '@culprit/core/connector';
import type { LevelKeyValue } from '../run-store/level-key-value.js';
import { createStoppable } from '../run-store/stoppable.js';

/** Between two tables of 16 MiB, whose checksums take about 50 ms. */
const PAUSE_MS = 500;

/** Compares the checksums of all tables once, in the background, because LevelDB reads damaged ones without a word. */
export function watchTables(level: LevelKeyValue, logger: Logger) {
  const { signal, stepPause, stop } = createStoppable(PAUSE_MS);
  let found: readonly string[] = [];
  const running = level.damagedTables(stepPause).then(
    (tables) => {
      found = tables;
      if (tables.length > 0) logger.error({ tables }, `the storage is damaged. ${FIX}`);
    },
    (error: unknown) => {
      if (!signal.aborted) logger.warn({ err: error }, 'the tables of the storage could not be checked');
    },
  );
  const damage = (): readonly Check[] =>
    found.length === 0
      ? []
      : [
          {
            name: 'storage tables',
            ok: false,
            optional: true,
            detail: `Damaged: ${found.join(', ')}. ${FIX}`,
          },
        ];
  return {
    damage,
    stop: () => {
      stop();
      return running;
    },
  };
}

const FIX = 'Stop core and run: culprit store repair';
const SAID_MS = 7 * 24 * 60 * 60_000;

/** What the store has lost; a warning for a week. */
export function lossCheck(loss: string): Check {
  const at = loss.slice(0, loss.indexOf(' '));
  const age = Date.now() - Date.parse(at);
  const detail = `On ${at}${loss.slice(at.length)}. Crashes and decisions of that time may be missing. Edges that connect are asked for what this storage lacks of them; whether they still had it all is not known.`;
  return { name: 'storage loss', ok: age > SAID_MS, optional: true, detail };
}
