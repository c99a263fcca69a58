import * as v from 'valibot';
import { failed } from '../shared/model/answer.js';
import type { ModelAnswer } from '../shared/model/client.js';
import { errorText } from './refusal.js';
import { completion } from './schema.js';

/** Longest name of a model and version that is kept. */
const LONGEST_NAME = 100;

/**
 * The answer in a completion of `model`. `asksJson`: a schema was asked for. Servers with a parser for thoughts sometimes take the whole
 * constrained answer for them (lmstudio-ai/lmstudio-bug-tracker 1698, vllm-project/vllm 15618): then the content is empty, and what
 * they call thoughts is the answer.
 */
export function answerOf(
  received: unknown,
  model: string,
  asksJson: boolean,
): Omit<ModelAnswer, 'otherwise'> {
  const parsed = v.safeParse(completion, received);
  if (!parsed.success) {
    const error = errorText(received);
    throw failed(
      error === null ? 'the model server sent an unreadable response' : `the model server failed: ${error}`,
    );
  }
  const { model: named, system_fingerprint: build } = parsed.output;
  const [choice] = parsed.output.choices;
  if (choice === undefined) throw failed('the model server sent no answer');
  const { message, finish_reason } = choice;
  if (message.refusal || finish_reason === 'content_filter') throw failed('the model refused to answer');
  const parts = typeof message.content === 'string' ? [{ text: message.content }] : (message.content ?? []);
  const written = parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
  const reasoning = message.reasoning_content || message.reasoning || '';
  const isMisplaced = asksJson && written.trim() === '' && isObject(reasoning);
  const { thoughts, answer } = split(isMisplaced ? reasoning : written);
  return {
    content: unfenced(answer),
    cut: finish_reason === 'length',
    thought: thoughts || (!isMisplaced && reasoning !== '') || parts.some(isThinking),
    served: [named === model ? null : named, build].filter(Boolean).join(', ').slice(0, LONGEST_NAME) || null,
  };
}

const isThinking = (part: { readonly type?: string | undefined }) => part.type === 'thinking';

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const OPEN = '<think>';
const CLOSE = '</think>';

/** Without thoughts that a server left in the answer. Some chat templates write the opening tag themselves, so that only the closing one is there. */
function split(content: string): { readonly thoughts: boolean; readonly answer: string } {
  const text = content.trim();
  const end = /^(?:\{|```)/.test(text) ? -1 : text.indexOf(CLOSE);
  if (end === -1) return { thoughts: text.startsWith(OPEN), answer: text };
  return {
    thoughts: text.slice(0, end).replace(OPEN, '').trim() !== '',
    answer: text.slice(end + CLOSE.length).trim(),
  };
}

/** Without the fence around it, if it has one. */
function unfenced(text: string): string {
  const start = text.indexOf('\n');
  const end = text.lastIndexOf('\n');
  if (end <= start || !/^```(?:json)?\r?$/.test(text.slice(0, start)) || text.slice(end + 1) !== '```')
    return text;
  return text.slice(start + 1, end);
}
