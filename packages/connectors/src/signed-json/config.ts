import { secret } from '@culprit/core';
import * as v from 'valibot';
import { projectName, projectSecrets } from '../shared/config.js';

/** Several secrets may be active at once, for one project or many. None: the door is closed. */
export const errortrackerConfig = v.strictObject({
  secrets: projectSecrets,
});
export type ErrortrackerConfig = v.InferOutput<typeof errortrackerConfig>;

/** `name` is what logs, guards and rate limits call the sender; `token` is what it sends. */
export const nativeConfig = v.strictObject({
  tokens: v.array(
    v.strictObject({ project: projectName, name: v.pipe(v.string(), v.nonEmpty()), token: secret() }),
  ),
});
export type NativeConfig = v.InferOutput<typeof nativeConfig>;
