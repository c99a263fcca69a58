import { secret } from '@culprit/core';
import * as v from 'valibot';

const project = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a project’s name'));

/** Several secrets may be active at once, for one project or many. None: the door is closed. */
export const errortrackerConfig = v.object({
  secrets: v.array(v.object({ project, secret: secret() })),
});
export type ErrortrackerConfig = v.InferOutput<typeof errortrackerConfig>;

/** `name` is what logs, guards and rate limits call the sender; `token` is what it sends. */
export const nativeConfig = v.object({
  tokens: v.array(v.object({ project, name: v.pipe(v.string(), v.nonEmpty()), token: secret() })),
});
export type NativeConfig = v.InferOutput<typeof nativeConfig>;
