import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { StoredKey } from '@culprit/core/internal/domain/stored-values';
import type { Values } from '@culprit/core/internal/ports/values';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { type Stored, stored } from '@culprit/core/internal/runs/stored';
import * as v from 'valibot';
import type { Recognised, Reviewers } from './reviewers.js';

/** How long a link can be used. */
const LINK_MS = 15 * 60_000;
/** Of the secret in a link. */
export const LINK_CHARS = 43;

const linkSchema = v.object({
  /** Of the token that made the link. */
  credential: v.string(),
  /** Milliseconds since 1970. */
  expires_at: v.number(),
  /** Names the attempt that used it; `null`: nobody did. */
  used_by: v.nullable(v.string()),
});
type Link = v.InferOutput<typeof linkSchema>;

/** Clocks of two cores differ by less. Of a longer time the clock was set back, and a link lives no longer for it. */
const SKEW_MS = 60_000;

/** Links that this process remembers. */
const MADE = 1_000;

export interface SignInLinks {
  /** Makes the secret of a link that signs in once, as the token that made it would. Only its hash is stored. */
  make(values: Values, by: Recognised): Promise<{ readonly secret: string; readonly expiresAt: number }>;
  /** True for a link that this core made and that was not used here; asks no storage. */
  made(secret: string): boolean;
  /** Whose session the link would open, without using it up. */
  holder(values: Values, secret: string): Promise<Recognised | LinkProblem>;
  /** Uses up a link, also if two cores are asked at once. */
  redeem(values: Values, secret: string): Promise<Recognised | LinkProblem>;
}

/** `unknown`: it has expired, or its token is no longer configured. */
export type LinkProblem = 'used' | 'unknown';

/** `now`: milliseconds since 1970. */
export function createSignInLinks(reviewers: Reviewers, now: () => number): SignInLinks {
  const own = boundedMap<string, true>(MADE);
  const isOpen = ({ used_by, expires_at }: Link) => {
    const left = expires_at - now();
    return used_by === null && left > 0 && left <= LINK_MS + SKEW_MS;
  };
  const holderOf = ({ credential }: Link) => reviewers.holder(credential) ?? 'unknown';
  return {
    async make(values, { credential }) {
      const secret = randomBytes(32).toString('base64url');
      const expires_at = now() + LINK_MS;
      await linkOf(values, secret).set({ credential, expires_at, used_by: null });
      own.set(keyOf(secret), true);
      return { secret, expiresAt: expires_at };
    },
    made: (secret) => own.get(keyOf(secret)) === true,
    async holder(values, secret) {
      const link = await linkOf(values, secret).get();
      if (link !== null && isOpen(link)) return holderOf(link);
      own.delete(keyOf(secret));
      return link === null || link.used_by === null ? 'unknown' : 'used';
    },
    async redeem(values, secret) {
      const attempt = randomUUID();
      const link = await linkOf(values, secret).change((before) =>
        before !== null && isOpen(before) ? { ...before, used_by: attempt } : null,
      );
      own.delete(keyOf(secret));
      if (link === null || link.used_by === null) return 'unknown';
      return link.used_by === attempt ? holderOf(link) : 'used';
    },
  };
}

function linkOf(values: Values, secret: string): Stored<Link | null> {
  return stored<Link | null>(values, keyOf(secret), { schema: linkSchema, none: null, ttlMs: LINK_MS });
}

function keyOf(secret: string): StoredKey {
  return `sign-in-link:${createHash('sha256').update(secret).digest('hex')}`;
}
