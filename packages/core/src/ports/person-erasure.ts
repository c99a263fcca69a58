import type { Reviewer } from '../domain/history.js';
import type { Port } from '../domain/port.js';

/** Whom to count or erase, and how. Implementations write the person into no log, error or history. */
export interface ErasureOrder {
  /** A user id, address or name of at least `PERSON_CHARS` characters. */
  readonly person: string;
  /** Names this erasure in the history of each run that it changes, so that a repetition counts what it did before. */
  readonly erasure_id: string;
  /** Who erases, for the histories; `null`: nobody is named. */
  readonly by: Reviewer | null;
  /** True: only counts. */
  readonly dryRun: boolean;
  /** Ends the work between two steps: it rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** The parts of a walk, in their order: runs with all that belongs to them, then everything else. */
export type WalkPart = 'runs' | 'values';

/** What was found: erased, or only counted. */
export interface Erased {
  /** Runs that name the person anywhere. */
  readonly runs: number;
  /** Stored crashes that name the person. */
  readonly events: number;
  /** Texts that name the person, in all of these runs. */
  readonly fields: number;
  readonly evidence: number;
  readonly drafts: number;
  readonly history: number;
  /** Values that name the person: of connectors, views, learned code mappings, releases, webhooks and their deliveries. */
  readonly values: number;
  /** API tokens that the person made, which end. */
  readonly tokens: number;
  /** Sessions of the person, which end. */
  readonly sessions: number;
  /** Published issues that name the person: in their text, as who signed, or in a comment. They are not changed. */
  readonly issues: readonly string[];
}

export type Credential = readonly [kind: 'sessions' | 'tokens', name: string];

/** How far a walk has come. The last step has the result. */
export interface ErasureStep {
  readonly part: WalkPart;
  /** What the walk has found so far; of a part that it leaves out, nothing. */
  readonly found: Partial<Erased>;
  /** Runs or values of the part that were looked at. 0 before its first one: nothing of it is read yet. */
  readonly looked: number;
  /** Sessions of the person by key, and API tokens that they made by id. */
  readonly credentials: readonly Credential[];
  /** Equal for two walks that found the same runs and issues, tokens and sessions. */
  readonly scope: string;
}

/**
 * Counts and erases a person in a storage that is in use. Must work in bounded steps, one run or value each, and yield before each
 * part and after each step. Must be safe to repeat after an interruption.
 */
export interface PersonErasure {
  /** Approximate number of runs. */
  countRuns(): Promise<number>;
  /**
   * Each run changes in one write, which records the erasure in its history. Looks again at runs that were being analysed. `from`: the
   * part to begin with, if those before it are done. Default: `runs`.
   */
  walk(order: ErasureOrder, from?: WalkPart): AsyncIterable<ErasureStep>;
  /** Removes the replaced bytes from the disk, where the storage can. */
  compact(): Promise<void>;
}
export const PersonErasure = Symbol('PersonErasure') as Port<PersonErasure | null>;
