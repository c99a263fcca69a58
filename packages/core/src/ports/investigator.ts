import type { Asked, Finding } from '../domain/investigation.js';
import type { ModelStatus } from '../domain/model-status.js';
import type { Port } from '../domain/port.js';
import type { Answer, Question, QuestionName } from '../domain/question.js';

/** Tokens of calls to a model. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/**
 * What an investigator works with. Everything that it reads is untrusted text, already sanitised and bounded. Must be the only way in
 * which an investigator asks questions and calls its model, because the limits are kept here.
 */
export interface Desk {
  /** The answers of `show_crash` and `show_ranking`: where every investigation begins. They are no questions. */
  readonly crash: string;
  readonly ranking: string;
  /** The questions that this repository's host can answer. */
  readonly questions: readonly QuestionName[];
  /** Questions that are left, those in `asked` subtracted. */
  readonly left: () => number;
  /** Milliseconds until the signal aborts; absent: no time limit. */
  readonly msLeft?: () => number;
  /** What was asked before core was restarted, oldest first; then everything since. */
  readonly asked: () => readonly Asked[];
  /** Which of the runs on the same crash it is, from 0; a second one gets its evidence in another order. */
  readonly round: number;
  /** Asks. An unknown question or an invalid input is answered with the problem `invalid`, and counts. */
  ask(question: { readonly name: string; readonly input: unknown }): Promise<Answer>;
  /**
   * Calls the model. `most`: the most tokens that the call can use; they are written down before the call and count until it says what it
   * used. Rejects with `investigation_limit` if a limit does not allow them.
   */
  call<T extends { readonly used: Tokens | null }>(
    most: Tokens,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

/**
 * Finds the cause of a crash by asking questions. `null`: it names no commit. Rejects with `investigator_failed` if its model does not
 * answer. It must end soon after the signal aborts, and it must be safe to call it again with what was asked before.
 */
export interface Investigator {
  readonly name: string;
  /** As it is configured: the fit of its probabilities is kept by this name. */
  readonly model: string;
  /** The version of its prompts. */
  readonly promptVersion: string;
  investigate(desk: Desk, signal: AbortSignal): Promise<Finding | null>;
  /** What is known about its model, without asking it. */
  status?(): ModelStatus;
}
export const Investigator = Symbol('Investigator') as Port<Investigator | null>;

/** Narrows the type of a checked question. */
export function isQuestion<Name extends QuestionName>(
  question: Question,
  name: Name,
): question is Extract<Question, { readonly name: Name }> {
  return question.name === name;
}
