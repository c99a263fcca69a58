export interface Replays {
  /**
   * Stores a delivery, unless one of that name was stored within the window or is being stored now: then it returns the
   * first one's event id. A delivery that could not be stored is forgotten, so that it can be repeated.
   */
  once(
    name: string,
    store: () => Promise<EventId>,
  ): Promise<{ readonly id: EventId; readonly again: boolean }>;
  /** All deliveries stored so far. */
  readonly allowed: number;
  /** The longest time in milliseconds after which a delivery was repeated. */
  readonly largest: number;
}

type EventId = string | null;

export interface ReplayOptions {
  readonly windowMs: () => number;
  /** Maximum number of remembered deliveries; the oldest is removed first. */
  readonly most?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Detects repeated deliveries within a time window, in bounded memory. */
export function createReplays({
  windowMs,
  most = 10_000,
  now = () => performance.now(),
}: ReplayOptions): Replays {
  const known = new Map<string, { readonly since: number; readonly stored: Promise<EventId> }>();
  let allowed = 0;
  let largest = 0;
  const forget = (at: number) => {
    for (const [name, { since }] of known) {
      if (at - since <= windowMs() && known.size < most) return;
      known.delete(name);
    }
  };
  return {
    async once(name, store) {
      const at = now();
      const first = known.get(name);
      if (first !== undefined && at - first.since <= windowMs()) {
        const id = await first.stored;
        largest = Math.max(largest, Math.ceil(at - first.since));
        return { id, again: true };
      }
      forget(at);
      const stored = store();
      known.delete(name);
      known.set(name, { since: at, stored });
      try {
        const id = await stored;
        allowed++;
        return { id, again: false };
      } catch (error) {
        known.delete(name);
        throw error;
      }
    },
    get allowed() {
      return allowed;
    },
    get largest() {
      return largest;
    },
  };
}
