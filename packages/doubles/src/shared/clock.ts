interface Waiter {
  readonly due: number;
  readonly resolve: () => void;
  timer: NodeJS.Timeout | null;
}

/** The double's time: real time, optionally scaled and advanced manually, so that nobody has to wait. */
export class DoubleClock {
  private ahead = 0;
  private readonly waiters = new Set<Waiter>();
  private readonly origin: number;

  constructor(
    private readonly real: () => number = Date.now,
    private readonly scale = 1,
    origin?: number,
  ) {
    this.origin = origin ?? real();
  }

  now(): number {
    return Math.round(this.origin + (this.real() - this.origin) * this.scale + this.ahead);
  }

  /** Resolves after this much of the double's time. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = { due: this.now() + ms, resolve, timer: null };
      this.waiters.add(waiter);
      this.arm(waiter);
    });
  }

  advance(ms: number): void {
    this.ahead += ms;
    for (const waiter of [...this.waiters]) this.arm(waiter);
  }

  /** Resolves all waits at once. */
  close(): void {
    for (const waiter of [...this.waiters]) this.end(waiter);
  }

  private arm(waiter: Waiter): void {
    if (waiter.timer !== null) clearTimeout(waiter.timer);
    const left = (waiter.due - this.now()) / this.scale;
    if (left <= 0) this.end(waiter);
    else waiter.timer = setTimeout(() => this.arm(waiter), Math.ceil(left));
  }

  private end(waiter: Waiter): void {
    if (waiter.timer !== null) clearTimeout(waiter.timer);
    this.waiters.delete(waiter);
    waiter.resolve();
  }
}

interface Spent {
  readonly at: number;
  readonly cost: number;
}

/** Counts what is spent in sliding windows, by key. */
export class Windows {
  private readonly spent = new Map<string, readonly Spent[]>();

  /** `now` is in milliseconds; older entries than `longestMs` are dropped. */
  constructor(
    private readonly now: () => number,
    private readonly longestMs: number,
  ) {}

  within(key: string, windowMs: number): readonly Spent[] {
    const from = this.now() - windowMs;
    return (this.spent.get(key) ?? []).filter(({ at }) => at > from);
  }

  /** Whole seconds until the cost may fit into the window; 0 if it does. */
  wait(key: string, cost: number, most: number, windowMs: number): number {
    const kept = this.within(key, windowMs);
    if (kept.reduce((sum, entry) => sum + entry.cost, cost) <= most) return 0;
    const first = kept[0]?.at ?? this.now();
    return Math.max(1, Math.ceil((first + windowMs - this.now()) / 1_000));
  }

  note(key: string, cost: number): void {
    this.spent.set(key, [...this.within(key, this.longestMs), { at: this.now(), cost }]);
  }
}
