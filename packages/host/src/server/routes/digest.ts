import { CulpritError } from '@culprit/core';
import { digestOf } from '../digest/digest.js';
import { operation } from '../operation.js';
import type { CoreRoute } from '../route.js';
import { digestSchema } from '../schema/digest.js';

const HOUR_MS = 3_600_000;
/** A shift. */
const DEFAULT_MS = 12 * HOUR_MS;
const MAX_DAYS = 31;

/** The digest of a shift. */
export function digestRoutes(now: () => number): CoreRoute[] {
  return [
    operation({
      at: 'GET /api/v1/digest',
      scope: 'read',
      reach: 'projects',
      id: 'getDigest',
      summary: 'Get the digest of a shift: what waits, who decided what, published issues and regressions',
      query: {
        since: `ISO 8601 with a time zone, at most ${MAX_DAYS} days before \`until\`. Default: 12 hours before \`until\``,
        until: 'ISO 8601 with a time zone, exclusive. Default: now',
      },
      what: 'The digest',
      schema: digestSchema,
      run({ request: { query }, engine }) {
        const until = readTime('until', query.until) ?? now();
        const since = readTime('since', query.since) ?? until - DEFAULT_MS;
        if (since >= until) refuse('since', 'must be before "until"');
        if (until - since > MAX_DAYS * 24 * HOUR_MS) {
          refuse('since', `may be at most ${MAX_DAYS} days before "until"`);
        }
        const period = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
        return digestOf(engine, period, new Date(now()).toISOString());
      },
    }),
  ];
}

/** Milliseconds since 1970; `null` if absent. */
function readTime(path: string, text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  // Years of four digits compare as text.
  return Number.isNaN(time) || time < 0 ? refuse(path, 'must be a time such as 2026-11-22T08:00:00Z') : time;
}

function refuse(path: string, what: string): never {
  throw new CulpritError('malformed', `"${path}" ${what}.`, { path });
}
