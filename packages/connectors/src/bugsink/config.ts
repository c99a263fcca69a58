import * as v from 'valibot';
import { projectSecrets } from '../shared/config.js';

export const bugsinkConfig = v.strictObject({
  /** Secrets in the webhook's URL, per project. Two may be active during a rotation. An empty list closes the endpoint. */
  secrets: v.optional(projectSecrets, []),
});
export type BugsinkConfig = v.InferOutput<typeof bugsinkConfig>;
