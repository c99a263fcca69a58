// The runs of a benchmark: the nth is always the same, so that a filled storage can be reused.
import { storage } from '@culprit/connectors/storage';
import { makeBatch, makeItem } from '@culprit/core/internal/testing/builders';
import { quiet } from './places.mjs';

export const AUDIT_KEY = 'an audit key of thirty-two chars';
const extra = { context: 'x'.repeat(1_000) };

export const openStorage = (place) =>
  storage({ url: place.url, auditKey: AUDIT_KEY, retention: null }).setup({
    fetch,
    logger: quiet,
    signal: new AbortController().signal,
  });
/** One second apart. */
export const timeOf = (n) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
/** A separate event on the run of `seed`. */
export const itemOf = (name, seed = `seed${name}`) => makeItem(0, seed, { event_id: `e${name}`, extra });
export const runIdOf = (n) => itemOf(n).occurrence.candidate_run_id;
export const batchOf = (items, n) => makeBatch(items, { edge: 'embedded', now: timeOf(n) });
