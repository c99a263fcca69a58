import * as v from 'valibot';
import { COMMENT_LIMITS } from '../domain/claim.js';
import { about } from '../domain/schema.js';

const MAX = COMMENT_LIMITS.chars.toLocaleString('en');

/** A reviewer's reason or comment. */
export const freeText = about(
  v.pipe(
    v.string(),
    v.regex(/\S/, 'is required and must not be empty'),
    v.maxLength(COMMENT_LIMITS.chars, `must have at most ${MAX} characters`),
  ),
  `Stored in the history; at most ${MAX} characters.`,
);
