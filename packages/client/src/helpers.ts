import { ApiError } from './api-error.js';
import type { Answer } from './call.js';
import type { Client } from './client.js';

interface Page {
  readonly next: string | null;
}

/**
 * Every page of a list: `for await (const { runs } of pages(client.listRuns, { q: 'level:fatal' }))`. The next page is read when it is
 * asked for.
 */
export async function* pages<Input extends object, Read extends Page>(
  read: (input: Input & { readonly cursor?: string }) => Promise<Read>,
  input: Input,
): AsyncGenerator<Read, void, undefined> {
  let page = await read(input);
  yield page;
  while (page.next !== null) {
    page = await read({ ...input, cursor: page.next });
    yield page;
  }
}

/** For what a run may not have: `await client.getStack({ run_id }).catch(nullIfNotFound)`. */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

/** A saved view of the inbox: the query string of the board's address, by name. */
export type SavedView = Answer<'listViews', 200>['views'][number];

/** An erasure of a person: what was found, and how far it is. */
export type Erasure = Answer<'getErasure', 200>;

const WORKING: readonly Erasure['state'][] = ['counting', 'checking', 'erasing'];
const POLL_MS = 500;

/** Resolves when nothing of the erasure runs any more: counted, changed, done or failed. `progress` is called about twice a second. */
export async function erasureSettled(
  client: Client,
  erasure_id: string,
  progress: (erasure: Erasure) => void = () => {},
): Promise<Erasure> {
  for (;;) {
    const erasure = await client.getErasure({ erasure_id });
    if (!WORKING.includes(erasure.state)) return erasure;
    progress(erasure);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** What was checked, and every break that was found. */
export type HistoryCheck = Omit<Answer<'verifyHistories', 200>, 'next'>;

/** The sum of the pages of `verifyHistories`. `null`: none is read yet. */
export function sumOfChecks(
  sum: HistoryCheck | null,
  { next: _, ...page }: HistoryCheck & Page,
): HistoryCheck {
  if (sum === null) return page;
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
