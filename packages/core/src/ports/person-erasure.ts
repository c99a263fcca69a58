import type { Reviewer } from '../domain/history.js';

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

/** What was found in runs: erased, or only counted. */
export interface ErasedRuns {
  /** Runs that name the person anywhere. */
  readonly runs: number;
  /** Stored crashes that name the person. */
  readonly events: number;
  /** Texts that name the person, in all of that. */
  readonly fields: number;
  readonly evidence: number;
  readonly drafts: number;
  readonly history: number;
  /** Published issues that name the person: in their text, as who signed, or in a comment. They are not changed. */
  readonly issues: readonly string[];
}

/** What was found in other stored values. */
export interface ErasedValues {
  /** Values that name the person: of connectors, views, proposals, releases, webhooks and their deliveries. */
  readonly values: number;
  /** API tokens that the person made, which end. */
  readonly tokens: number;
  /** Sessions of the person, which end. */
  readonly sessions: number;
}

/** How far it has come. The last one has the result. */
export interface ErasureStep<Found> {
  readonly found: Found;
  /** Runs or values that were looked at. */
  readonly looked: number;
  /** Equal for two passes that found the same runs and issues, or the same tokens and sessions. */
  readonly scope: string;
}

/**
 * Counts and erases a person in a storage that is in use. Must work in bounded steps, one run or value each, and yield after each of
 * them. Must be safe to repeat after an interruption.
 */
export interface PersonErasure {
  /** Approximate number of runs. */
  countRuns(): Promise<number>;
  /** Each run changes in one write, which records the erasure in its history. Looks again at runs that were being analysed. */
  runs(order: ErasureOrder): AsyncIterable<ErasureStep<ErasedRuns>>;
  /** Everything else that is stored, and what readers of the live feed may still ask for. */
  values(order: ErasureOrder): AsyncIterable<ErasureStep<ErasedValues>>;
  /** Removes the replaced bytes from the disk, where the storage can. */
  compact(): Promise<void>;
}
