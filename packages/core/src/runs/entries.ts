import type { NewHistoryEntry, Reviewer } from '../domain/history.js';
import type { RunState } from '../domain/run.js';

type Details = Partial<Pick<NewHistoryEntry, 'from' | 'to' | 'digest' | 'ms' | 'error' | 'detail'>>;

/** The history entry of a reviewer's decision. */
export function decision(name: string, at: string, reviewer: Reviewer, details: Details): NewHistoryEntry {
  return { ...blank(name, at), kind: 'decision', by: reviewer.name, via: reviewer.via, ...details };
}

/** The history entry of an engine step. */
export function step(name: string, at: string, details: Details): NewHistoryEntry {
  return { ...blank(name, at), ...details };
}

function blank(name: string, at: string): NewHistoryEntry {
  const state: RunState | null = null;
  return {
    at,
    kind: 'step',
    name,
    by: null,
    via: 'engine',
    from: state,
    to: state,
    digest: null,
    ms: null,
    error: null,
    detail: {},
  };
}
