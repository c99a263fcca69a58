import type { JsonObject } from './json.js';
import type { RunState } from './run.js';

/** All places where a decision can be made; `engine` stands for the engine's own steps. */
export const SURFACES = ['api', 'board', 'chat', 'engine'] as const;
/** Where a decision was made; one of `SURFACES`. */
export type Surface = (typeof SURFACES)[number];

/** A person (or a program in a person's name) that may pass gates. */
export interface Reviewer {
  /** Names one person: see `samePerson`. */
  readonly name: string;
  readonly via: Surface;
  /** The name of the API token that acts for this person. Absent: the person acts. Decisions have it as `detail.token`. */
  readonly token?: string;
}

/**
 * One decision of a reviewer or one step of the engine. Append-only, oldest first.
 * `kind` decision: a person did it (`by` is set). `kind` step: the engine did it.
 */
export interface HistoryEntry {
  /** From 1 for each run. */
  readonly sequence: number;
  readonly at: string;
  readonly kind: 'decision' | 'step';
  /** `gate1.approve`, `gate1.snooze`, `claim`, `comment`, `draft.edit`, `gate2.approve`, `staged`, `locate`, `blame`, … */
  readonly name: string;
  readonly by: string | null;
  readonly via: Surface;
  readonly from: RunState | null;
  readonly to: RunState | null;
  /** The digest of the draft that was decided on; `null` if there is none. `detail.bound` of a Gate 2 approval: the client sent it. */
  readonly digest: string | null;
  readonly ms: number | null;
  readonly error: { readonly code: string; readonly detail: string; readonly retryable: boolean } | null;
  readonly detail: JsonObject;
  /** Absent if the storage has no audit key. */
  readonly seal?: EntrySeal;
}

/** Minimum length of the audit key; a shorter one could be brute-forced. */
export const AUDIT_KEY_CHARS = 32;

/** How an entry is sealed into the chain of its run. Hashes are HMAC-SHA256, lower-case hex. */
export interface EntrySeal {
  /** Over the previous entry's `mac`, the entry without names, reasons and comments, and `personal`. */
  readonly mac: string;
  /** Random. Erased together with names, reasons and comments; afterwards `personal` reveals nothing about them. */
  readonly salt: string;
  /** Over the salt, the name, the reason and the comment. */
  readonly personal: string;
}

/** A history entry before the store numbers and seals it. */
export type NewHistoryEntry = Omit<HistoryEntry, 'sequence' | 'seal'>;
