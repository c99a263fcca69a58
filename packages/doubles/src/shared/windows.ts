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
