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
