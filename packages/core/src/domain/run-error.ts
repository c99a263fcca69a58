import * as v from 'valibot';
import type { Doc } from './schema.js';

const failure = v.object({ code: v.string(), detail: v.string(), retryable: v.boolean() });
export const errorSchema = v.nullable(failure);
/** The last failure of a run's analysis, publication or change of an issue. */
export interface RunError extends Doc<typeof failure> {}
