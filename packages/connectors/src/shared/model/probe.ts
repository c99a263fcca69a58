import { isCulpritError } from '@culprit/core';
import { explanationOf, failed } from './answer.js';
import type { ModelClient } from './client.js';
import { ANSWER_SCHEMA } from './prompt/v1.js';

/** What a server or its model does not do, although it was asked to. Explanations work without it, less well. */
export type Shortcoming = 'schema' | 'thoughts' | 'length';

/** What each means for the person who chose the model. */
export const SHORTCOMINGS: Readonly<Record<Shortcoming, string>> = {
  schema:
    'the answer’s schema is not enforced: an answer of another shape is refused, and the template is used',
  thoughts: 'the model thinks although it is told not to, and its thoughts use up the tokens of the answer',
  length: 'the token limit is not kept: only the time limit ends a long answer',
};

/** The shortest answer that the schema allows. */
const TINY = {
  system: 'You answer with one JSON object and nothing else.',
  user: 'There is no evidence. Answer {"insufficient": true, "claims": []}.',
  schema: ANSWER_SCHEMA,
} as const;
/** Asks for something that the schema forbids. */
const PROSE = { system: 'You answer in plain English.', user: 'Say hello.', schema: ANSWER_SCHEMA } as const;
const PROSE_TOKENS = 64;
/** Asks for much more than its budget. */
const LONG = { system: 'You do as you are told.', user: 'Count from 1 to 300.', schema: null } as const;
const LONG_TOKENS = 16;
/** Characters of a token, at most, in a list of numbers. */
const TOKEN = 8;

/**
 * Three short questions: whether the model gives a usable answer, whether the schema is enforced, and whether the token limit is
 * kept. Rejects with `explainer_failed` if the first answer is unusable. A later question that fails proves nothing.
 */
export async function probeModel(client: ModelClient, signal: AbortSignal): Promise<readonly Shortcoming[]> {
  const found = new Set<Shortcoming>();
  const tiny = await client.chat(TINY, signal);
  usable(tiny.content, tiny.cut);
  const more = async (prompt: typeof PROSE | typeof LONG, tokens: number) => {
    try {
      return await client.chat(prompt, signal, tokens);
    } catch {
      return null;
    }
  };
  const prose = await more(PROSE, PROSE_TOKENS);
  if (prose !== null && !prose.cut && !isExplanation(prose.content)) found.add('schema');
  const long = await more(LONG, LONG_TOKENS);
  if (long !== null && !long.cut && long.content.length > LONG_TOKENS * TOKEN) found.add('length');
  if ([tiny, prose, long].some((answer) => answer?.thought === true)) found.add('thoughts');
  return [...found];
}

/** Throws with what the model wrote, for a person who chooses a model. */
function usable(content: string, cut: boolean): void {
  const came = content.trim() === '' ? '' : `: ${JSON.stringify(content.slice(0, 80))}`;
  if (cut) throw failed(`the answer exceeded its token budget${came}`);
  try {
    explanationOf(content, '');
  } catch (error) {
    throw isCulpritError(error) ? failed(`${error.message}${came}`) : error;
  }
}

function isExplanation(content: string): boolean {
  try {
    explanationOf(content, '');
    return true;
  } catch {
    return false;
  }
}
