import { isCulpritError } from '@culprit/core/connector';
import type { ModelStatus } from '@culprit/core/internal/domain/model-status';
import type { ModelAnswer, ModelClient } from './client.js';
import { explanationOf } from './explainer.js';
import { probeInvestigating } from './probe-investigating.js';
import { ANSWER_SCHEMA } from './prompt/v1.js';

/** What a server or its model does not do, although it was asked to. Explanations work without it, less well. */
export type Shortcoming = ModelStatus['limits'][number]['name'];

/** What each means for the person who chose the model. */
export const SHORTCOMINGS: Readonly<Record<Shortcoming, string>> = {
  schema:
    'the answer’s schema is not enforced: an answer of another shape is refused, and the template is used',
  thoughts: 'the model thinks although it is asked not to, and its thoughts use up the tokens of the answer',
  length: 'the token limit is ignored: only the time limit ends a long answer',
};

/** The same if the model respects it. */
export const KEPT: Readonly<Record<Shortcoming, string>> = {
  schema: 'the answer’s schema is enforced',
  thoughts: 'the model does not think before it answers, so the answer has all of its tokens',
  length: 'the token limit is respected',
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
/** What only later questions find out. */
const LATER: readonly Shortcoming[] = ['schema', 'length'];
/** Ways to ask a model not to think. */
const MAX_WAYS = 4;
/** Characters of a token, at most, in a list of numbers. */
const TOKEN = 8;

/** What a probe found out about the model that answered. */
export interface Probed {
  /** As the server says it; `null` if it does not. */
  readonly served: string | null;
  /** Why the model gives no usable answer; `null` if it does. */
  readonly unusable: string | null;
  readonly found: readonly Shortcoming[];
  /** What the probe could not find out. */
  readonly unknown: readonly Shortcoming[];
  readonly investigates: ModelStatus['investigates'];
}

/**
 * Three short questions, the first again for each way not to think: whether the model gives a usable answer, whether the schema
 * is enforced, and whether the token limit is
 * kept. Then, within `investigateMs`, how it investigates; 0: not asked. Rejects with `explainer_failed` if the server does not answer. A
 * later question that fails proves nothing.
 */
export async function probeModel(
  client: ModelClient,
  investigateMs: number,
  signal: AbortSignal,
): Promise<Probed> {
  const found = new Set<Shortcoming>();
  let tiny = await client.chat(TINY, signal);
  // Servers that ignore one way not to think may know another.
  for (let ways = 1; tiny.otherwise && ways < MAX_WAYS; ways++) tiny = await client.chat(TINY, signal);
  if (tiny.thought) found.add('thoughts');
  const { served } = tiny;
  const unusable = whyUnusable(tiny);
  if (unusable !== null) return { served, unusable, found: [...found], unknown: LATER, investigates: 'no' };
  const more = async (prompt: typeof PROSE | typeof LONG, tokens: number) => {
    try {
      return await client.chat(prompt, signal, tokens);
    } catch {
      return null;
    }
  };
  const prose = await more(PROSE, PROSE_TOKENS);
  if (prose !== null && isProse(prose)) found.add('schema');
  const long = await more(LONG, LONG_TOKENS);
  if (long !== null && !long.cut && long.content.length > LONG_TOKENS * TOKEN) found.add('length');
  if ([prose, long].some((answer) => answer?.thought === true)) found.add('thoughts');
  const unknown: Shortcoming[] = [];
  if (prose === null) unknown.push('schema');
  // A model that writes little proves nothing.
  if (long === null || !(long.cut || found.has('length'))) unknown.push('length');
  const investigates = investigateMs > 0 ? await probeInvestigating(client, investigateMs, signal) : null;
  return { served, unusable, found: [...found], unknown, investigates };
}

/** For a person who chooses a model, with what it wrote. */
function whyUnusable({ content, cut, thought }: ModelAnswer): string | null {
  const came = content.trim() === '' ? '' : `: ${JSON.stringify(content.slice(0, 80))}`;
  if (cut && thought)
    return `its thoughts used up the tokens of the answer, although it is asked not to think${came}`;
  if (cut) return `the answer exceeded its token budget${came}`;
  const why = whyNoExplanation(content);
  return why === null ? null : `${why}${came}`;
}

/** An answer that the schema forbids. One that was cut is, too, unless it begins as the schema wants it. */
function isProse({ content, cut }: ModelAnswer): boolean {
  const text = content.trim();
  return cut ? text !== '' && !text.startsWith('{') : whyNoExplanation(text) !== null;
}

function whyNoExplanation(content: string): string | null {
  try {
    explanationOf(content, '');
    return null;
  } catch (error) {
    if (isCulpritError(error)) return error.message;
    throw error;
  }
}
