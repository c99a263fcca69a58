/** When a cached result may be computed again. */
export interface OnceOptions {
  /** Forgets a run that failed, so that the next call tries again. */
  readonly retryFailed?: boolean;
}

/** Runs the work at the first call, with its arguments; every further call returns that run's promise. */
export function once<Args extends readonly unknown[], T>(
  work: (...args: Args) => Promise<T>,
  { retryFailed = false }: OnceOptions = {},
): (...args: Args) => Promise<T> {
  let started: Promise<T> | null = null;
  return (...args) => {
    if (started !== null) return started;
    const run = work(...args);
    started = run;
    if (retryFailed) run.catch(() => (started = null));
    return run;
  };
}
