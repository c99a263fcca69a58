import { keys } from './keys.js';
import type { RetentionParts } from './retention.js';

const DAY_MS = 24 * 60 * 60_000;
/** Between two writes of the time. */
const NOTE_MS = 10 * 60_000;

export interface ClockWatchParts extends Pick<RetentionParts, 'reads' | 'writer' | 'now' | 'logger'> {
  /** Milliseconds that nobody can set. */
  readonly steady?: () => number;
}

/**
 * Whether retention may delete now. After the clock went forward by more than a day, it waits for a day: a wrong clock must not delete
 * all that seems old. Also after a pause as long, of the machine or of core, which looks the same.
 */
export function watchClock(parts: ClockWatchParts): () => Promise<boolean> {
  const { reads, writer, now, logger, steady = () => performance.now() } = parts;
  let last: { readonly wall: number; readonly steady: number } | null = null;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let noted = Number.NEGATIVE_INFINITY;
  return async () => {
    const at = { wall: now(), steady: steady() };
    if (last === null) {
      const [swept] = await reads.getMany([keys.swept]);
      last = { wall: swept === undefined ? at.wall : Number(swept), steady: at.steady };
    }
    const ahead = at.wall - last.wall - (at.steady - last.steady);
    last = at;
    if (ahead > DAY_MS) {
      heldUntil = at.steady + DAY_MS;
      const days = Math.round(ahead / DAY_MS);
      logger.warn(
        { days },
        'the clock went forward, so retention deletes nothing for a day. Check the clock',
      );
    }
    if (at.steady < heldUntil) return false;
    if (Math.abs(at.wall - noted) >= NOTE_MS) {
      noted = at.wall;
      await writer.write(async (tx) => tx.put(keys.swept, String(at.wall)));
    }
    return true;
  };
}
