import type { NewHistoryEntry, Reviewer } from './history.js';

type Details = Partial<Pick<NewHistoryEntry, 'from' | 'to' | 'digest' | 'ms' | 'error' | 'detail'>>;

/** The history entry of a reviewer's decision. */
export function decision(name: string, at: string, reviewer: Reviewer, details: Details): NewHistoryEntry {
  return { ...step(name, at, details), kind: 'decision', by: reviewer.name, via: reviewer.via };
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
