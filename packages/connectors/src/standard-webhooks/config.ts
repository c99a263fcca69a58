import { secret } from '@culprit/core';
import * as v from 'valibot';

const project = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a project’s name'));
/** `whsec_` and base64 of the key; the prefix may be left out. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}$/, 'must be whsec_ and base64 of at least 16 bytes'),
);

export const standardWebhooksConfig = v.object({
  /** Two may be active for a project while one is changed. None: the door is closed. */
  secrets: v.array(v.object({ project, secret: key })),
  /** How far `webhook-timestamp` may be off, both ways. */
  toleranceSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 300),
});
export type StandardWebhooksConfig = v.InferOutput<typeof standardWebhooksConfig>;
