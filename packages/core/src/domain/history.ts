import * as v from 'valibot';
import { jsonObjectSchema } from './json.js';
import { RUN_STATES } from './run.js';
import { errorSchema } from './run-error.js';
import { about, count, type Doc, named, text } from './schema.js';

/** All places where a decision can be made; `engine` means the engine's own steps. */
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

const sealSchema = v.object({
  mac: about(
    v.string(),
    'Over the `mac` of the previous entry, the entry without names, reasons and comments, and `personal`.',
  ),
  salt: about(
    v.string(),
    'Random. Erased together with names, reasons and comments; afterwards `personal` reveals nothing about them.',
  ),
  personal: about(v.string(), 'Over the salt, the name, the reason and the comment.'),
});
/** How an entry is sealed into the chain of its run. Hashes are HMAC-SHA256, lower-case hex. */
export interface EntrySeal extends Doc<typeof sealSchema> {}

const state = v.nullable(v.picklist(RUN_STATES));
const entry = {
  sequence: about(v.number(), 'From 1 for each run.'),
  at: v.string(),
  kind: about(
    v.picklist(['decision', 'step']),
    '`decision`: a person did it, and `by` is set. `step`: the engine did it.',
  ),
  name: about(
    v.string(),
    '`gate1.approve`, `gate1.snooze`, `claim`, `comment`, `draft.edit`, `gate2.approve`, `staged`, `locate`, `blame`, …',
  ),
  by: text,
  via: v.picklist(SURFACES),
  from: state,
  to: state,
  digest: about(
    text,
    'Of the draft that was decided on; `null` if there is none. `detail.bound` of a Gate 2 approval: the client sent it.',
  ),
  ms: count,
  error: errorSchema,
  detail: jsonObjectSchema,
};
export const historyEntrySchema = named(
  'HistoryEntry',
  'A decision or a step in the history of a run.',
  v.object(entry),
);
export const sealedEntrySchema = v.object({ ...entry, seal: v.exactOptional(sealSchema) });
/** One decision of a reviewer or one step of the engine. Append-only, oldest first. `seal` is absent if the storage has no audit key. */
export interface HistoryEntry extends Doc<typeof sealedEntrySchema> {}

/** Minimum length of the audit key; a shorter one could be brute-forced. */
export const AUDIT_KEY_CHARS = 32;

/** A history entry before the store numbers and seals it. */
export type NewHistoryEntry = Omit<HistoryEntry, 'sequence' | 'seal'>;
