import type { NoEffect } from '../domain/investigation.js';
import type { JsonObject } from '../domain/json.js';
import { type Answer, QUESTIONS, type QuestionName } from '../domain/question.js';
import type { InvestigationPolicy } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';
import type { Desk, Tokens } from '../ports/investigator.js';
import { untilAborted } from '../resilience/time-limit.js';
import { type Bill, type OpenJournal, plus, spentOn } from './investigation-journal.js';

/** Characters of an unreadable question that are kept. */
const INPUT_CHARS = 1_000;

/** Limits that end an investigation. */
export type Limit = Extract<NoEffect, 'questions' | 'tokens' | 'seconds' | 'cost' | 'daily_cost'>;

interface DeskParts extends Pick<Desk, 'crash' | 'ranking' | 'questions' | 'round'> {
  readonly journal: OpenJournal;
  readonly bill: Bill;
  readonly policy: InvestigationPolicy;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly answer: (question: { readonly name: string; readonly input: unknown }) => Promise<Answer>;
  /** Called after every answer is stored. */
  readonly onAsked: (asked: {
    readonly name: string;
    readonly input: JsonObject;
    readonly ms: number;
  }) => Promise<void>;
}

/** A desk that keeps the limits. */
export interface BoundedDesk extends Desk {
  /** The limit that was reached; `null`: none. */
  reached(): Limit | null;
}

/**
 * The desk of one round. What is asked and used is written down before it is returned, and what a call can use before the call, so that
 * nothing is free after a restart.
 */
export function openDesk(parts: DeskParts): BoundedDesk {
  const { journal, bill, policy, clock, signal, answer, onAsked, ...shown } = parts;
  let limit: Limit | null = null;
  const before = journal.now().rounds.at(-1)?.asked ?? 0;
  const reach = (which: Limit): CulpritError => {
    limit = which;
    const detail = `The limit of this investigation was reached: ${which}.`;
    return new CulpritError('investigation_limit', detail, { reason: which });
  };
  const left = () => Math.max(0, policy.questions - journal.now().questions);
  const overBudget = (most: Tokens): Limit | null => {
    const { tokens, cost } = plus(journal.now(), spentOn(most, policy));
    if (tokens > policy.tokens) return 'tokens';
    return policy.cost !== null && (cost ?? 0) > policy.cost ? 'cost' : null;
  };
  return {
    ...shown,
    left,
    msLeft: () => policy.ms - journal.now().ms,
    asked: () => journal.now().asked.slice(before),
    reached: () => limit,
    async ask(question) {
      signal.throwIfAborted();
      if (left() === 0) throw reach('questions');
      const started = clock.now();
      const given = await untilAborted(answer(question), signal);
      const input = inputOf(question.input);
      const ms = clock.now() - started;
      const { name } = question;
      await journal.write(({ asked, questions }) => ({
        questions: questions + 1,
        asked: Object.hasOwn(QUESTIONS, name)
          ? [
              ...asked,
              {
                number: questions + 1,
                question: name as QuestionName,
                input,
                ...given,
                at: isoOf(clock),
                ms,
              },
            ]
          : asked,
      }));
      await onAsked({ name, input, ms });
      return given;
    },
    async call(most, call) {
      signal.throwIfAborted();
      const over = overBudget(most);
      if (over !== null) throw reach(over);
      const reserved = spentOn(most, policy);
      const day = await bill.reserve(reserved, policy.costPerDay);
      if (day === null) throw reach('daily_cost');
      await journal.write(() => ({ reserved }));
      // A call that fails may have been charged.
      let used = reserved;
      try {
        const result = await untilAborted(call(signal), signal);
        if (result.used !== null) used = spentOn(counted(result.used), policy);
        return result;
      } finally {
        await journal.write((kept) => ({ ...plus(kept, used), reserved: null }));
        await bill.correct(day, reserved, used);
      }
    },
  };
}

function inputOf(input: unknown): JsonObject {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject && JSON.stringify(input).length <= INPUT_CHARS ? (input as JsonObject) : {};
}

function isoOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Some servers count nonsense. */
function counted({ input, output }: Tokens): Tokens {
  const whole = (count: number) => (Number.isFinite(count) ? Math.max(0, Math.ceil(count)) : 0);
  return { input: whole(input), output: whole(output) };
}
