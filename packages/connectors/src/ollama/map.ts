import { CulpritError, type Explanation } from '@culprit/core';
import * as v from 'valibot';
import { answerSchema } from './schema.js';

/** The model's text as an explanation; its quotes are core's to check. Rejects with `explainer_failed` what is no answer. */
export function explanationOf(content: string, model: string): Explanation {
  if (content.trim() === '') throw failed('the model said nothing');
  let said: unknown;
  try {
    said = JSON.parse(content);
  } catch {
    throw failed('the model’s answer is not JSON');
  }
  const parsed = v.safeParse(answerSchema, said);
  if (!parsed.success) throw failed('the model’s answer has another shape than was asked for');
  const { insufficient, claims } = parsed.output;
  const kept = insufficient ? [] : claims;
  return { source: 'model', model, claims: kept, insufficient: kept.length === 0, note: null };
}

export function failed(what: string, cause?: unknown): CulpritError {
  return new CulpritError('explainer_failed', what, cause === undefined ? {} : { cause });
}
