import type { Run } from '@culprit/core/connector';
import * as v from 'valibot';

export const APPROVE = 'culprit.approve';
export const REJECT = 'culprit.reject';

const shownSchema = v.strictObject({
  v: v.literal(1),
  run: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/)),
  gate: v.picklist([1, 2]),
  cycle: v.pipe(v.number(), v.safeInteger()),
  /** Digest of the draft that was shown; `null` at Gate 1, which has no draft. */
  digest: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});
/** What the reviewer saw when they pressed the button. */
export type Shown = v.InferOutput<typeof shownSchema>;

/** What a run's buttons are bound to; `null` if the run waits for no decision. */
export function shownOf({ run_id: run, state, cycle, draft }: Run): Shown | null {
  if (state === 'staged_raw') return { v: 1, run, gate: 1, cycle, digest: null };
  if (state === 'staged_draft' && draft !== null) return { v: 1, run, gate: 2, cycle, digest: draft.digest };
  return null;
}

/** Parses a button's value; `null` if it is invalid. */
export function parseShown(value: unknown): Shown | null {
  if (typeof value !== 'string' || value.length > 2_000) return null;
  try {
    const parsed = v.safeParse(shownSchema, JSON.parse(value));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
