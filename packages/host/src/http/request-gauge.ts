export interface Load {
  /** Requests in progress. */
  readonly now: number;
  /** The peak of `now`. */
  readonly largest: number;
  readonly allowed: number;
  readonly refused: number;
}

export interface RequestGauge {
  /** Counts a request whose head has arrived. */
  enter(): void;
  /**
   * Counts a request that is complete and about to be handled. Returns false if too many are being handled; trusted
   * senders have a reserve.
   */
  begin(method: string, isTrusted: () => boolean): boolean;
  /** `begun`: {@link RequestGauge.begin} returned true for it. */
  leave(begun: boolean): void;
  load(): Load;
  /** Resolves once no request is in progress, or after `ms`. */
  idle(ms: number): Promise<void>;
}

export interface GaugeLimits {
  /** Requests that are handled at once. */
  readonly concurrent: number;
  /** Further ones, for senders that their head proves to be trusted. */
  readonly reserved: number;
}

/** Counts the requests in progress. GET and HEAD are never refused: health checks must work under load. */
export function createRequestGauge(limits: () => GaugeLimits): RequestGauge {
  const load = { now: 0, largest: 0, allowed: 0, refused: 0 };
  let handled = 0;
  let idle: (() => void) | null = null;
  return {
    load: () => ({ ...load }),
    enter() {
      load.now++;
      load.largest = Math.max(load.largest, load.now);
    },
    begin(method, isTrusted) {
      const { concurrent, reserved } = limits();
      const full =
        method !== 'GET' && handled >= concurrent && (handled >= concurrent + reserved || !isTrusted());
      load[full ? 'refused' : 'allowed']++;
      if (full) return false;
      handled++;
      return true;
    },
    leave(begun) {
      load.now--;
      if (begun) handled--;
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
