import type { RunSummary } from '../domain/run.js';
import type { Occurrence } from './run-store.js';

/** What decides on which run an event is counted. */
export type Countable = Pick<Occurrence, 'event' | 'fingerprint' | 'aliases' | 'family'>;
/** Where an event would be counted. */
export interface CountedOn {
  /** The fingerprint hash of its incident. */
  readonly hash: string;
  /** The run that counts it, unless a later one starts; `null`: a new run would start. */
  readonly run: RunSummary | null;
}

/** Distinguishes incidents; a part of `RunStore`. `countedOn` names where `record` would count such an event now. Never writes. */
export interface RunIncidents {
  countedOn(occurrence: Countable): Promise<CountedOn>;
}
