import { CulpritError } from '@culprit/core';
import { ERASED } from '@culprit/core/internal/pipeline/erase-person';
import * as v from 'valibot';
import { ALL_SCOPES, type Scope } from '../scopes.js';
import { providedSchema } from '../sessions.js';

/** The key of all tokens. `culprit erase` removes names below `tokens:`, so a token whose maker was erased stops working. */
export const TOKENS_KEY = 'tokens:all';
/** Stored tokens, expired ones included. */
export const MOST_TOKENS = 200;
/** How long an expired token is listed, so that its users learn why it is refused. */
export const EXPIRED_KEPT_MS = 30 * 24 * 60 * 60_000;

const storedSchema = v.object({
  id: v.string(),
  /** SHA-256 of the token, hex. */
  hash: v.string(),
  name: v.string(),
  scopes: v.array(v.string()),
  projects: v.nullable(v.array(v.string())),
  made_by: v.string(),
  /** The id of the token that made it. Absent in tokens that a person or an older version made. */
  made_with: v.optional(v.string()),
  /** The sign-in of its maker, if a provider vouched for them. */
  vouched: v.optional(v.object({ credential: v.string(), provided: providedSchema })),
  made_at: v.string(),
  expires_at: v.nullable(v.string()),
});
const listSchema = v.object({ tokens: v.array(storedSchema) });

export type StoredToken = Readonly<Omit<v.InferOutput<typeof storedSchema>, 'scopes'>> & {
  readonly scopes: readonly Scope[];
};

/** Scopes of a newer version are left out. @throws `storage_unavailable` if the value is damaged, so that nothing overwrites it. */
export function readTokens(text: string | undefined): readonly StoredToken[] {
  if (text === undefined) return [];
  const read = v.safeParse(listSchema, JSON.parse(text));
  if (!read.success) throw new CulpritError('storage_unavailable', 'The stored tokens cannot be read.');
  return read.output.tokens
    .filter(({ made_by }) => !made_by.includes(ERASED))
    .map((token) => ({ ...token, scopes: ALL_SCOPES.filter((scope) => token.scopes.includes(scope)) }));
}

export function writeTokens(tokens: readonly StoredToken[], now: number): string {
  const kept = tokens.filter(({ expires_at }) => {
    return expires_at === null || Date.parse(expires_at) > now - EXPIRED_KEPT_MS;
  });
  return JSON.stringify({ tokens: kept });
}

export function isExpired({ expires_at }: Pick<StoredToken, 'expires_at'>, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}

/** The token of this id and those that it made, directly or not; none if it is unknown. */
export function familyOf(tokens: readonly StoredToken[], id: string): readonly StoredToken[] {
  const ids = new Set([id]);
  // A token is stored after the one that made it.
  return tokens.filter((token) => {
    const belongs = ids.has(token.id) || (token.made_with !== undefined && ids.has(token.made_with));
    if (belongs) ids.add(token.id);
    return belongs;
  });
}
