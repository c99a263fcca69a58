export interface Load {
  /** Requests in progress. */
  readonly now: number;
  /** The peak of `now`. */
  readonly largest: number;
  readonly allowed: number;
  readonly refused: number;
}

export interface RequestGauge {
  /** Counts a request that begins. Returns false if too many are in progress. */
  enter(method: string): boolean;
  leave(): void;
  load(): Load;
  /** Resolves once no request is in progress, or after `ms`. */
  idle(ms: number): Promise<void>;
}

/** Counts the requests in progress. GET and HEAD are never refused: health checks must work under load. */
export function createRequestGauge(concurrent: () => number): RequestGauge {
  const load = { now: 0, largest: 0, allowed: 0, refused: 0 };
  let idle: (() => void) | null = null;
  return {
    load: () => ({ ...load }),
    enter(method) {
      const full = method !== 'GET' && load.now >= concurrent();
      load[full ? 'refused' : 'allowed']++;
      load.now++;
      load.largest = Math.max(load.largest, load.now);
      return !full;
    },
    leave() {
      load.now--;
      if (load.now === 0) idle?.();
    },
    idle: (ms) =>
      new Promise((resolve) => {
        if (load.now === 0) return resolve();
        const timer = setTimeout(resolve, ms);
        idle = () => {
          clearTimeout(timer);
          // The last response may still be on its way to the socket.
          setImmediate(resolve);
        };
      }),
  };
}
