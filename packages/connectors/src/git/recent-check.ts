/** How long something is taken as unchanged that an analysis would look up several hundred times. */
const TRUSTED_MS = 1_000;

export interface RecentCheck<T> {
  /** The last answer, or a new one if that is older than a second. A failure is not kept. */
  get(): Promise<T>;
  /** Makes the next `get` ask again. */
  forget(): void;
}

export function recentCheck<T>(ask: () => Promise<T>): RecentCheck<T> {
  let last: { readonly answer: Promise<T>; readonly at: number } | null = null;
  const forget = () => {
    last = null;
  };
  return {
    forget,
    get() {
      if (last !== null && performance.now() - last.at < TRUSTED_MS) return last.answer;
      const made = { answer: ask(), at: performance.now() };
      last = made;
      made.answer.catch(() => {
        if (last === made) forget();
      });
      return made.answer;
    },
  };
}
