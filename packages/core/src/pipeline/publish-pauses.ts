/** Longer than any delay between attempts, so a waiting publication keeps its lease. */
export const LEASE_MS = 30 * 60_000;
/** Upper bound of a requested delay; GitHub's rate limits reset within the hour. */
export const LONGEST_WAIT_MS = 2 * 60 * 60_000;
/** Delays after failed calls, unless the code host asks for a longer one. */
export const RETRY_DELAYS = { firstMs: 2_000, maxMs: 60_000 };
/** Time limit of one code host call. */
export const CALL_MS = 90_000;

/** Delays between searches; the last one repeats, and the very last is cut, so that together they are the whole window. */
const SEARCH_PAUSES = [5_000, 60_000, 10 * 60_000] as const;

/** The delay after this many searches; `undefined` once they have covered the window. */
export function searchPause(looks: number, windowMs: number): number | undefined {
  const pauseAt = (look: number) => SEARCH_PAUSES[Math.min(look, SEARCH_PAUSES.length - 1)] ?? 0;
  let waited = 0;
  for (let look = 0; look < looks; look++) waited += pauseAt(look);
  const left = windowMs - waited;
  return left > 0 ? Math.min(pauseAt(looks), left) : undefined;
}
