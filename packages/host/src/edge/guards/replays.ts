export interface Replays {
  /** True: the same delivery was kept within the window. */
  seen(id: string): boolean;
  /** To be called when the delivery is on disk, and not before: what failed must be let in again. */
  kept(id: string): void;
  /** Ids that were kept, ever. */
  readonly allowed: number;
  /** The most milliseconds after which the same delivery came again. */
  readonly largest: number;
}

export interface ReplayOptions {
  readonly windowMs: () => number;
  /** Ids remembered; the oldest is forgotten first. */
  readonly most?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Remembers delivery ids for a while, in bounded memory. */
export function createReplays({
  windowMs,
  most = 10_000,
  now = () => performance.now(),
}: ReplayOptions): Replays {
  const ids = new Map<string, number>();
  let allowed = 0;
  let largest = 0;
  const forget = (at: number) => {
    for (const [id, since] of ids) {
      if (at - since <= windowMs() && ids.size < most) return;
      ids.delete(id);
    }
  };
  return {
    seen(id) {
      const since = ids.get(id);
      const age = since === undefined ? Number.POSITIVE_INFINITY : now() - since;
      if (age > windowMs()) return false;
      largest = Math.max(largest, Math.ceil(age));
      return true;
    },
    kept(id) {
      const at = now();
      forget(at);
      ids.set(id, at);
      allowed++;
    },
    get allowed() {
      return allowed;
    },
    get largest() {
      return largest;
    },
  };
}
