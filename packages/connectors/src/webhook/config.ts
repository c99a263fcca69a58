import { secret } from '@culprit/core';
import * as v from 'valibot';

/** `whsec_` and base64 of 24 to 64 bytes, as the specification asks. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and base64 of 24 to 64 bytes'),
);

export const webhookConfig = v.pipe(
  v.strictObject({
    /** The only address that is ever called. Redirects are failures. */
    url: v.pipe(v.string(), v.check(isTarget, 'must be an http(s) URL without a user or a fragment')),
    /** The first is the newer one. Both sign while a key is changed, so that the receiver may know either. */
    secrets: v.pipe(v.array(key), v.minLength(1), v.maxLength(2)),
    /** Where the board is reached; absent: messages carry no link to it. */
    boardUrl: v.optional(v.pipe(v.string(), v.regex(/^https?:\/\//))),
    /** True: a target that is http and not this machine is allowed. */
    allowPlaintext: v.optional(v.boolean(), false),
  }),
  v.check(
    ({ url, allowPlaintext }) => allowPlaintext || isPrivateEnough(url),
    'must be https, or on this machine: run titles must not be readable on the way',
  ),
);
export type WebhookConfig = v.InferOutput<typeof webhookConfig>;

function isTarget(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '';
}

function isPrivateEnough(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
