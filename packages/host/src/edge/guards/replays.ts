export interface Replays {
  /** Whether the same delivery was stored within the window. */
  seen(id: string): boolean;
  /** Call once the delivery is on disk, not before: a failed delivery must be accepted when it is repeated. */
  kept(id: string): void;
  /** All ids stored so far. */
  readonly allowed: number;
  /** The longest time in milliseconds after which a delivery was repeated. */
  readonly largest: number;
}

export interface ReplayOptions {
  readonly windowMs: () => number;
  /** Maximum number of stored ids; the oldest is removed first. */
  readonly most?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Detects repeated delivery ids within a time window, in bounded memory. */
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
