import { secret } from '@culprit/core';
import * as v from 'valibot';
import { positiveInteger, projectName } from '../shared/config.js';

/** `whsec_` and the key in base64; the prefix is optional. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}$/, 'must be whsec_ and at least 16 bytes in base64'),
);

export const standardWebhooksConfig = v.strictObject({
  /** Two may be active for a project during a rotation. An empty list closes the endpoint. */
  secrets: v.array(v.strictObject({ project: projectName, secret: key })),
  /** Tolerance of `webhook-timestamp`, in both directions. */
  toleranceSeconds: v.optional(positiveInteger, 300),
});
export type StandardWebhooksConfig = v.InferOutput<typeof standardWebhooksConfig>;
