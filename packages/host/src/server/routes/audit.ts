import { CulpritError, type Engine } from '@culprit/core';
import type { HistoryChain } from '@culprit/core/internal/pipeline/history-chain';
import { historyChecker } from '../../audit/check-histories.js';
import type { HttpRequest } from '../../http/message.js';
import { operation } from '../operation.js';
import { PAGE_PARAMETERS, readLimit } from '../paging.js';
import type { CoreRoute } from '../route.js';
import { auditEntriesSchema, verificationSchema } from '../schema/audit.js';

/** Names, reasons and comments of everybody. */
const OPERATE = { scope: 'operate', reach: 'installation' } as const;
const PAGES = { ...PAGE_PARAMETERS, limit: { ...PAGE_PARAMETERS.limit, what: 'Runs of one page' } };
/** Requests that wait for their turn. */
const MAX_WAITING = 8;

interface Seals {
  /** `null`: nothing is sealed with a key that core knows. */
  readonly auditKey: string | null;
  /** The connector that replaces the storage of `STORAGE_URL`. */
  readonly externalStore: string | null;
}

/** Verifies and exports histories, page by page, the oldest run first. */
export function auditRoutes({ auditKey, externalStore }: Seals): CoreRoute[] {
  // A page reads the whole histories of up to 200 runs; two at once would keep them in memory together.
  const inTurn = oneAtATime(MAX_WAITING);
  return [
    operation({
      ...OPERATE,
      at: 'GET /api/v1/audit/verification',
      id: 'verifyHistories',
      summary: 'Verify the histories of a page of runs against their seals. Add up the pages',
      query: {
        ...PAGES,
        sealed_since:
          'ISO 8601: accept entries without a seal from before this time, when AUDIT_KEY was first set',
      },
      pages: 'always',
      what: 'What was checked and found',
      schema: verificationSchema,
      problems: ['not_found'],
      async run({ request, engine }) {
        if (auditKey === null)
          throw new CulpritError(
            'not_found',
            externalStore === null
              ? 'Histories are not sealed. Set AUDIT_KEY to seal later entries.'
              : `Histories are in the storage ${externalStore}, which is not given this host's AUDIT_KEY, so they cannot be verified here.`,
          );
        const sealedSince = timeOf(request.query.sealed_since);
        return inTurn(async () => {
          const checker = historyChecker(auditKey, sealedSince);
          const next = await eachChain(engine, request, (chain) => checker.add(chain));
          return { ...checker.result(), next };
        });
      },
    }),
    operation({
      ...OPERATE,
      at: 'GET /api/v1/audit/entries',
      id: 'exportHistories',
      summary: 'Export the histories of a page of runs with their seals, as `culprit audit export` does',
      query: PAGES,
      pages: 'always',
      what: 'The entries of a page of runs',
      schema: auditEntriesSchema,
      run: ({ request, engine }) =>
        inTurn(async () => {
          const entries: object[] = [];
          const next = await eachChain(engine, request, (chain) => {
            entries.push(...chain.entries.map((entry) => ({ run_id: chain.run_id, ...entry })));
          });
          return { entries, next };
        }),
    }),
  ];
}

/** Reads the histories of a page of runs, one after another; resolves with the cursor of the next page. */
async function eachChain(
  engine: Engine,
  { query, signal }: Pick<HttpRequest, 'query' | 'signal'>,
  see: (chain: HistoryChain) => void,
): Promise<string | null> {
  const { cursor } = query;
  // In this order new runs come last. A merge may move its run towards the front.
  const page = await engine.runs({
    order: 'oldest',
    limit: readLimit(query.limit),
    ...(cursor === undefined || cursor === '' ? {} : { cursor }),
  });
  if (page.indexing)
    throw new CulpritError('overloaded', 'The lists of runs are still being indexed. Try again later.', {
      retryAfterMs: 5_000,
    });
  for (const { run_id } of page.runs) {
    signal.throwIfAborted();
    const chain = await engine.chain(run_id);
    if (chain !== null) see(chain);
  }
  return page.next;
}

function timeOf(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CulpritError('malformed', '"sealed_since" is not a time. Use ISO 8601, such as 2026-11-22.', {
    path: 'sealed_since',
  });
}

/** Runs the work of requests one after another. Beyond `most` that wait, it is refused. */
function oneAtATime(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= most)
      throw new CulpritError('overloaded', 'Other requests verify or export histories. Try again later.', {
        retryAfterMs: 1_000,
      });
    waiting += 1;
    const result = last.then(work);
    last = result.catch(() => {});
    try {
      return await result;
    } finally {
      waiting -= 1;
    }
  };
}
