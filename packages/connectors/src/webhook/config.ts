import { secret } from '@culprit/core';
import * as v from 'valibot';

/** `whsec_` and 24 to 64 bytes in base64, as the specification requires. */
const key = v.pipe(
  secret(),
  v.regex(/^(?:whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64'),
);

export const webhookConfig = v.pipe(
  v.strictObject({
    /** The only address that is called. Redirects are failures. */
    url: v.pipe(v.string(), v.check(isTarget, 'must be an http(s) URL without a user or a fragment')),
    /** The newest first. During a rotation both sign, so that the receiver may know either. */
    secrets: v.pipe(v.array(key), v.minLength(1), v.maxLength(2)),
    /** The board's address; absent: messages do not link to it. */
    boardUrl: v.optional(v.pipe(v.string(), v.regex(/^https?:\/\//))),
    /** True: allows an http target that is not on this machine. */
    allowPlaintext: v.optional(v.boolean(), false),
  }),
  v.check(
    ({ url, allowPlaintext }) => allowPlaintext || isPrivateEnough(url),
    'must be https, or on this machine, because messages contain run titles',
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
