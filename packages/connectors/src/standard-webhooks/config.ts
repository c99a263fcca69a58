import { secret } from '@culprit/core';
import * as v from 'valibot';
import { positiveInteger, projectName } from '../shared/config.js';

/** `whsec_` and base64 of the key; the prefix may be left out. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}$/, 'must be whsec_ and base64 of at least 16 bytes'),
);

export const standardWebhooksConfig = v.strictObject({
  /** Two may be active for a project while one is changed. None: the door is closed. */
  secrets: v.array(v.strictObject({ project: projectName, secret: key })),
  /** How far `webhook-timestamp` may be off, both ways. */
  toleranceSeconds: v.optional(positiveInteger, 300),
});
export type StandardWebhooksConfig = v.InferOutput<typeof standardWebhooksConfig>;
