import * as v from 'valibot';
import { projectSecrets } from '../shared/config.js';

export const bugsinkConfig = v.strictObject({
  /** Bugsink's "Secret Value" per project. Two may be active during a rotation. An empty list closes the endpoint. */
  secrets: v.optional(projectSecrets, []),
  /** Bugsink's "Secret Header Name". */
  header: v.optional(
    v.pipe(v.string(), v.toLowerCase(), v.regex(/^[a-z0-9-]{1,100}$/, 'must be a header name')),
    'x-webhook-secret',
  ),
});
export type BugsinkConfig = v.InferOutput<typeof bugsinkConfig>;
