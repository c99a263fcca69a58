import type { Port } from '../domain/port.js';
import type { ValueField } from '../domain/search/qualifiers.js';

/** Which values of a qualifier to list. */
export interface ValuesQuery {
  readonly field: ValueField;
  /** The beginning of the value, in any case; empty for all. */
  readonly prefix: string;
  /** 1 to 100. */
  readonly limit: number;
}
/** A value of a qualifier, lower-case, and how many runs have it. */
export interface ValueCount {
  readonly value: string;
  readonly runs: number;
}

/** The values that qualifiers of searches have in the stored runs. Must count a run that is stored. An outage rejects with `storage_unavailable`. */
export interface RunValues {
  /** Most frequent first. */
  list(query: ValuesQuery): Promise<readonly ValueCount[]>;
}
export const RunValues = Symbol('RunValues') as Port<RunValues | null>;
