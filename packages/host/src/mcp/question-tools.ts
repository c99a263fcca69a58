import type { Client, OperationId } from '@culprit/client';
import {
  type Answer,
  QUESTION_NAMES,
  QUESTION_PROBLEMS,
  QUESTIONS,
  type QuestionName,
} from '@culprit/core/internal/domain/question';
import { questionId } from '@culprit/core/internal/operations/questions';
import * as v from 'valibot';
import { answerText, untrusted } from './answer.js';
import { runIdArgument } from './arguments.js';
import type { Tool } from './tools.js';
import type { WriteTool } from './write-tools.js';

/** What the tools call that ask. They change nothing. */
export type RunQuestions = Partial<Pick<Client, OperationId>> & {
  readonly scrub: (text: string) => string;
};

/** Leaves room for the rest of the answer. */
const MAX_BYTES = 20 * 1024;
const MORE = 'There is more than the limits allow. Ask for less at once.';

/** A tool for each question of an investigator; only an API token with the scope `investigate` has them. */
export const QUESTION_TOOLS: readonly (Tool<RunQuestions> & Pick<WriteTool, 'scope'>)[] = QUESTION_NAMES.map(
  (name) => {
    const { about, input } = QUESTIONS[name];
    const schema = v.strictObject({ run_id: runIdArgument, ...input.entries });
    const [title = ''] = about.split(/[.:,]/);
    return {
      name,
      scope: 'investigate',
      title,
      description: about,
      input: schema,
      call: async (api, given) => {
        const ask = api[questionId(name)] as (input: object) => Promise<Answer>;
        return textOf(name, await ask(v.parse(schema, given) as object), api.scrub);
      },
    };
  },
);

function textOf(name: QuestionName, { text, more, problem }: Answer, scrub: RunQuestions['scrub']): string {
  if (problem !== null) return answerText({ heading: name, blocks: [QUESTION_PROBLEMS[problem]] }, scrub);
  const bytes = Buffer.byteLength(text);
  const most = bytes > MAX_BYTES ? Math.floor((text.length * MAX_BYTES) / bytes) : text.length;
  const block = untrusted(text, 'block', most);
  return answerText(
    { heading: name, blocks: [block], next: more || most < text.length ? MORE : undefined },
    scrub,
  );
}
