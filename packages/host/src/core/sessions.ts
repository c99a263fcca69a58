import { createHash, randomBytes } from 'node:crypto';
import type { Values } from '@culprit/core';
import * as v from 'valibot';
import type { Recognised, Reviewers } from './reviewers.js';
import { type Access, FULL_ACCESS } from './scopes.js';
import type { Site } from './site.js';

export const SESSION_COOKIE = 'culprit_session';
export const SESSION_TTL_MS = 12 * 60 * 60 * 1000;

const storedSchema = v.object({ name: v.string(), credential: v.string(), expires_at: v.number() });

export interface Session {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Storage key of the session: a hash, so that read access to the storage is not enough to sign in. */
  readonly key: string;
  readonly access: Access;
}

export interface Sessions {
  open(values: Values, reviewer: Recognised): Promise<{ readonly id: string; readonly session: Session }>;
  /** `null` if the session is unknown or expired, or the reviewer's token is no longer configured. */
  find(values: Values, id: string): Promise<Session | null>;
  close(values: Values, session: Session): Promise<void>;
}

/** Sessions are stored in the engine's values, so they survive restarts and are shared like the storage. */
export function createSessions(reviewers: Reviewers, now: () => number): Sessions {
  return {
    async open(values, { name, credential }) {
      const id = randomBytes(32).toString('base64url');
      const session = { name, expiresAt: now() + SESSION_TTL_MS, key: keyOf(id), access: FULL_ACCESS };
      const stored = { name, credential, expires_at: session.expiresAt };
      await values.set(session.key, JSON.stringify(stored), SESSION_TTL_MS);
      return { id, session };
    },
    async find(values, id) {
      const key = keyOf(id);
      const text = await values.get(key);
      if (text === undefined) return null;
      const stored = v.safeParse(storedSchema, JSON.parse(text));
      if (!stored.success) return null;
      const { name, credential, expires_at } = stored.output;
      if (expires_at <= now() || !reviewers.knows(credential)) return null;
      return { name, expiresAt: expires_at, key, access: FULL_ACCESS };
    },
    close: (values, session) => values.delete(session.key),
  };
}

/** The session ID of a `Cookie` header; `null` if missing or malformed. */
export function sessionId(cookie: string | undefined): string | null {
  if (cookie === undefined) return null;
  for (const pair of cookie.split(';')) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() !== SESSION_COOKIE) continue;
    const id = pair.slice(at + 1).trim();
    return /^[A-Za-z0-9_-]{43}$/.test(id) ? id : null;
  }
  return null;
}

/** `Set-Cookie` for a session, or to end one (`id` null). `Secure` if the board uses https; only for paths of the board. */
export function sessionCookie(id: string | null, { secure, path }: Pick<Site, 'secure' | 'path'>): string {
  const age = id === null ? 0 : SESSION_TTL_MS / 1000;
  const flags = `HttpOnly; SameSite=Strict; Path=${path || '/'}; Max-Age=${age}${secure ? '; Secure' : ''}`;
  return `${SESSION_COOKIE}=${id ?? ''}; ${flags}`;
}

function keyOf(id: string): string {
  return `session:${createHash('sha256').update(id).digest('hex')}`;
}
