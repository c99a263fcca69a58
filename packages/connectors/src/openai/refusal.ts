import type { CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { failed } from '../shared/model/answer.js';

const problem = v.object({ error: v.union([v.string(), v.object({ message: v.string() })]) });
const LONGEST = 160;

/** What a server says is wrong, in the usual form; `null` if it is another. */
export function errorText(received: unknown): string | null {
  const parsed = v.safeParse(problem, received);
  if (!parsed.success) return null;
  const { error } = parsed.output;
  return (typeof error === 'string' ? error : error.message).slice(0, LONGEST);
}

/** The error for a refusal with this status and body. */
export function refused(status: number, body: string): CulpritError {
  const text = errorText(jsonOf(body));
  const detail = text === null ? '' : `: ${text}`;
  if (status === 401 || status === 403) return failed(`the model server refused the key (${status})`);
  if (status === 404) return failed(`the model server has no such model or address (404)${detail}`);
  return failed(`the model server returned ${status}${detail}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not the usual form: the status must do.
    return null;
  }
}
