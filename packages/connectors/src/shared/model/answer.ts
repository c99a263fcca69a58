import { CulpritError, type Explanation, type Reading } from '@culprit/core';
import * as v from 'valibot';
import { answerSchema, readingSchema } from './answer-schema.js';
import { READING_PROMPT_VERSION } from './prompt/reading-v1.js';

/** Parses the model's text as an explanation; core checks its quotes. Throws `explainer_failed` if it is not an explanation. */
export function explanationOf(content: string, model: string): Explanation {
  const { insufficient, claims } = answerOf(answerSchema, content);
  const kept = insufficient ? [] : claims;
  return { source: 'model', model, claims: kept, insufficient: kept.length === 0, note: null };
}

/** Parses the model's text as the reader's answer; core checks its quotes. Throws `explainer_failed` if it is none. */
export function readingOf(content: string, model: string): Reading {
  const { choices } = answerOf(readingSchema, content);
  return { model, prompt: READING_PROMPT_VERSION, choices };
}

function answerOf<T>(schema: v.GenericSchema<unknown, T>, content: string): T {
  if (content.trim() === '') throw failed('the model’s answer is empty');
  let received: unknown;
  try {
    received = JSON.parse(content);
  } catch {
    throw failed('the model’s answer is not JSON');
  }
  const parsed = v.safeParse(schema, received);
  if (!parsed.success) throw failed('the model’s answer does not match the requested schema');
  return parsed.output;
}

export function failed(what: string, cause?: unknown): CulpritError {
  return new CulpritError('explainer_failed', what, cause === undefined ? {} : { cause });
}
