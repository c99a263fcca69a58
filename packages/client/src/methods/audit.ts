import type { Answer, Call } from '../call.js';
import { everyEntry } from '../pages.js';

/** What was checked, and every break that was found. */
export type HistoryCheck = Omit<Answer<'verifyHistories', 200>, 'next'>;

/** Runs of one request. */
const LIMIT = 100;

/** Verifies and exports the histories of all runs. Needs the scope `operate` in all projects. */
export function auditMethods(call: Call) {
  return {
    /**
     * Verifies every history against its seals. Rejects with 404 if the storage has no audit key. `sealedSince`: accept entries without
     * a seal from before this time. `progress` is called after each request.
     */
    verify: async (
      { sealedSince }: { readonly sealedSince?: string } = {},
      progress: (check: HistoryCheck) => void = () => {},
    ): Promise<HistoryCheck> => {
      let sum: HistoryCheck | null = null;
      for (let cursor: string | undefined; ; ) {
        const query = { cursor, limit: LIMIT, sealed_since: sealedSince };
        const { next, ...page } = await call('verifyHistories', { query });
        sum = sum === null ? page : added(sum, page);
        if (next === null) return sum;
        progress(sum);
        cursor = next;
      }
    },
    /** Every entry of every history with its seal, by run: `for await (const entry of client.audit.entries())`. */
    entries: () =>
      everyEntry(
        (cursor) => call('exportHistories', { query: { cursor, limit: LIMIT } }),
        (page) => page.entries,
      ),
  };
}

function added(sum: HistoryCheck, page: HistoryCheck): HistoryCheck {
  const times = [sum.first_at, sum.last_at, page.first_at, page.last_at].filter((at) => at !== null).sort();
  return {
    runs: sum.runs + page.runs,
    entries: sum.entries + page.entries,
    erased: sum.erased + page.erased,
    unsealed: sum.unsealed + page.unsealed,
    first_at: times[0] ?? null,
    last_at: times.at(-1) ?? null,
    findings: [...sum.findings, ...page.findings],
  };
}
