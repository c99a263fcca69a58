import { CulpritError, type Explanation } from '@culprit/core';
import * as v from 'valibot';
import { answerSchema } from './schema.js';

/** Parses the model's text as an explanation; core checks its quotes. Throws `explainer_failed` if it is not an explanation. */
export function explanationOf(content: string, model: string): Explanation {
  if (content.trim() === '') throw failed('the model’s answer is empty');
  let received: unknown;
  try {
    received = JSON.parse(content);
  } catch {
    throw failed('the model’s answer is not JSON');
  }
  const parsed = v.safeParse(answerSchema, received);
  if (!parsed.success) throw failed('the model’s answer does not match the requested schema');
  const { insufficient, claims } = parsed.output;
  const kept = insufficient ? [] : claims;
  return { source: 'model', model, claims: kept, insufficient: kept.length === 0, note: null };
}

export function failed(what: string, cause?: unknown): CulpritError {
  return new CulpritError('explainer_failed', what, cause === undefined ? {} : { cause });
}
