import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Values } from '@culprit/core';
import * as v from 'valibot';
import type { Recognised, Reviewers } from './reviewers.js';

/** How long a link can be used. */
export const LINK_MS = 15 * 60_000;
/** Of the secret in a link. */
export const LINK_CHARS = 43;

const storedSchema = v.object({
  /** Of the token that made the link. */
  credential: v.string(),
  /** Milliseconds since 1970. */
  expires_at: v.number(),
  /** Names the attempt that used it; `null`: nobody did. */
  used_by: v.nullable(v.string()),
});
type Stored = v.InferOutput<typeof storedSchema>;

/** Makes the secret of a link that signs in once, as the token that made it would. Only its hash is stored. */
export async function makeLink(
  values: Values,
  { credential }: Recognised,
  now: number,
): Promise<{ readonly secret: string; readonly expiresAt: number }> {
  const secret = randomBytes(32).toString('base64url');
  const stored: Stored = { credential, expires_at: now + LINK_MS, used_by: null };
  await values.set(keyOf(secret), JSON.stringify(stored), LINK_MS);
  return { secret, expiresAt: stored.expires_at };
}

/** Uses up a link, also if two cores are asked at once. `unknown`: it has expired, or its token is no longer configured. */
export async function redeemLink(
  values: Values,
  reviewers: Reviewers,
  secret: string,
  now: number,
): Promise<Recognised | 'used' | 'unknown'> {
  const attempt = randomUUID();
  const use = (before: string | undefined) => {
    const stored = read(before);
    return stored === null || stored.used_by !== null || stored.expires_at <= now
      ? undefined
      : JSON.stringify({ ...stored, used_by: attempt } satisfies Stored);
  };
  const stored = read(await values.change(keyOf(secret), use, LINK_MS));
  if (stored === null || stored.used_by === null) return 'unknown';
  return stored.used_by === attempt ? (reviewers.holder(stored.credential) ?? 'unknown') : 'used';
}

function read(text: string | undefined): Stored | null {
  return text === undefined ? null : v.parse(storedSchema, JSON.parse(text));
}

function keyOf(secret: string): string {
  return `sign-in-link:${createHash('sha256').update(secret).digest('hex')}`;
}
