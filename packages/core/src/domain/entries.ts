import type { NewHistoryEntry, Reviewer } from './history.js';

type Details = Partial<Pick<NewHistoryEntry, 'from' | 'to' | 'digest' | 'ms' | 'error' | 'detail'>>;

/** The history entry of a reviewer's decision. */
export function decision(name: string, at: string, reviewer: Reviewer, details: Details): NewHistoryEntry {
  const made = step(name, at, details);
  const detail = reviewer.token === undefined ? made.detail : { ...made.detail, token: reviewer.token };
  return { ...made, detail, kind: 'decision', by: reviewer.name, via: reviewer.via };
}

/** The history entry of an engine step. */
export function step(name: string, at: string, details: Details): NewHistoryEntry {
  return {
    at,
    kind: 'step',
    name,
    by: null,
    via: 'engine',
    from: null,
    to: null,
    digest: null,
    ms: null,
    error: null,
    detail: {},
    ...details,
  };
}
