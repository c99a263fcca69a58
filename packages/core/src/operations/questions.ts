import type * as v from 'valibot';
import {
  type Answer,
  QUESTION_NAMES,
  QUESTIONS,
  type Question,
  type QuestionName,
} from '../domain/question.js';
import { checkInput } from './check-input.js';
import type { RunCommand } from './command.js';
import { OF_RUN } from './reach.js';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type Rows = {
  readonly [Name in QuestionName as Camel<Name>]: RunCommand<
    v.InferInput<(typeof QUESTIONS)[Name]['input']>,
    Answer
  >;
};

/** The `operationId` of a question, and the engine's method: `readSource` of `read_source`. */
export function questionId<Name extends QuestionName>(name: Name): Camel<Name> {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as Camel<Name>;
}

function questionRow(name: QuestionName): RunCommand<object, Answer> {
  const { about, input } = QUESTIONS[name];
  return {
    id: questionId(name),
    at: `POST /questions/${name.replaceAll('_', '-')}`,
    scope: 'investigate',
    reach: OF_RUN,
    summary: about.replace(/\.$/, ''),
    answer: 'answer',
    what: 'The answer, or why there is none',
    problems: [
      ...(['no_investigator', 'state_conflict'] as const),
      ...(['code_host_unavailable', 'code_host_forbidden', 'repository_not_found'] as const),
    ],
    input,
    handle: ({ questions }, runId, reviewer, given = {}) =>
      questions.ask(runId, reviewer, { name, input: checkInput(input, given, 'The input') } as Question),
  };
}

/** Every question of an investigator: see {@link QUESTIONS}. */
export const ASKING = Object.fromEntries(
  QUESTION_NAMES.map((name) => [questionId(name), questionRow(name)]),
) as unknown as Rows;
