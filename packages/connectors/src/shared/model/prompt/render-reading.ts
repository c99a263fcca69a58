import type { ReadingRequest } from '@culprit/core';
import { READING_QUESTION, READING_REMINDER, READING_SCHEMA, READING_SYSTEM } from './reading-v1.js';
import type { Prompt } from './render-prompt.js';
import { bytes, fenced, fenceWord } from './render-prompt.js';

/**
 * The reader's prompt, within its byte limit: every commit's excerpt is shortened to the same number of bytes. Pure: the same
 * request gives the same bytes.
 */
export function renderReading({ crash, commits }: ReadingRequest, mostBytes: number): Prompt {
  const word = fenceWord([crash, commits]);
  const fixed = [READING_QUESTION, READING_REMINDER].join('\n\n');
  const block = ({ id, text }: ReadingRequest['commits'][number]) => fenced(word, `commit "${id}"`, text);
  const left = mostBytes - bytes(READING_SYSTEM) - bytes(fixed) - 16;
  const error = fenced(word, 'crash', cut(crash, left / 4));
  const fences = commits.reduce((sum, { id }) => sum + bytes(block({ id, text: '' })) + 2, 0);
  const each = (left - bytes(error) - 2 - fences) / Math.max(1, commits.length);
  const shown = commits.map(({ id, text }) => block({ id, text: cut(text, each) }));
  const user = [READING_QUESTION, error, ...shown, READING_REMINDER].join('\n\n');
  return { system: READING_SYSTEM, user, schema: READING_SCHEMA };
}

/** The first lines within the limit. */
function cut(text: string, most: number): string {
  const kept: string[] = [];
  let used = 0;
  for (const line of text.split('\n')) {
    used += bytes(line) + 1;
    if (used > most) break;
    kept.push(line);
  }
  return kept.join('\n');
}
