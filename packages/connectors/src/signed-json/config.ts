import { secret } from '@culprit/core';
import * as v from 'valibot';
import { projectName, projectSecrets } from '../shared/config.js';

/** Several secrets may be active at once, for one project or many. An empty list closes the endpoint. */
export const errortrackerConfig = v.strictObject({
  secrets: projectSecrets,
});
export type ErrortrackerConfig = v.InferOutput<typeof errortrackerConfig>;

/** A shorter one is a mistake. `culprit doctor` warns about tokens that can be guessed. */
const SHORTEST_TOKEN = 4;

/** `name` identifies the sender in logs, guards and rate limits; `token` is its credential. */
export const nativeConfig = v.strictObject({
  tokens: v.array(
    v.strictObject({
      project: projectName,
      name: v.pipe(v.string(), v.nonEmpty()),
      token: v.pipe(secret(), v.minLength(SHORTEST_TOKEN)),
    }),
  ),
});
export type NativeConfig = v.InferOutput<typeof nativeConfig>;
