import type { Cut } from './cuts.js';

/**
 * A step is about a nanosecond. Receiving an ordinary crash, from its bytes to its fingerprint, takes about 15 for each of its
 * characters, of which sanitising takes two to ten. `npm run bench -- ingest --worst` measures what the worst document takes.
 */
const STEPS_OF_A_CHARACTER = 110;
/** Short documents may have one expensive text. */
const STEPS_OF_A_DOCUMENT = 196_608;

/**
 * Steps of a rule: for each character that it passes, for each place at which it looks closer, for each character of what
 * may be a secret there, for each part that it redacts, for each digit of what may be a card, for each member's name that
 * is not cached, and for each character and each decoded part of a decoded form.
 */
export const STEPS = {
  pass: 2,
  candidate: 600,
  value: 5,
  redaction: 800,
  digit: 40,
  name: 1_500,
  view: 5,
  decoded: 80,
} as const;

/** What stands in the place of text that was not checked, because its document had no steps left. */
export const UNCHECKED = 'unchecked';

/** Steps left for the document at hand; without limit outside of one. In an array, where a new value is not allocated. */
const left = new Float64Array([Number.POSITIVE_INFINITY]);
const stepsLeft = () => left[0] ?? 0;

/** Runs `act` with the budget of one document. Within a document there is only one budget. */
export function withinBudget<T>(act: () => T): T {
  if (stepsLeft() !== Number.POSITIVE_INFINITY) return act();
  left[0] = STEPS_OF_A_DOCUMENT;
  try {
    return act();
  } finally {
    left[0] = Number.POSITIVE_INFINITY;
  }
}

/** Runs `act` with a budget of its own, where its result is cached and so must not depend on the document. */
export function withOwnBudget<T>(act: () => T): T {
  const outer = stepsLeft();
  left[0] = STEPS_OF_A_DOCUMENT;
  try {
    return act();
  } finally {
    left[0] = outer;
  }
}

/** Every text adds to the budget of its document. */
export function grantFor(characters: number): void {
  left[0] = stepsLeft() + characters * STEPS_OF_A_CHARACTER;
}

export function spend(steps: number): void {
  left[0] = stepsLeft() - steps;
}

/** Whether the document has no steps left: what is not checked yet is a secret. */
export const isSpent = (): boolean => stepsLeft() < 0;

/** The rest of a text that is not checked. */
export const uncheckedFrom = (text: string, from: number): Cut => ({
  from,
  to: text.length,
  kind: UNCHECKED,
});
