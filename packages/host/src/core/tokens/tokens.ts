import { randomBytes } from 'node:crypto';
import { CulpritError, type Reviewer, type Values } from '@culprit/core';
import { boundedMap } from '@culprit/core/resilience';
import type { MadeToken, TokenEntry } from '../schema/tokens.js';
import type { Access, Scope } from '../scopes.js';
import {
  EXPIRED_KEPT_MS,
  isExpired,
  MOST_TOKENS,
  readTokens,
  type StoredToken,
  TOKENS_KEY,
  writeTokens,
} from './stored-tokens.js';
import { hashOfToken, newToken } from './token-text.js';

/** How long other cores may still accept a revoked token. */
const FRESH_MS = 3_000;
/** `last_used_at` is written at most this often by each core. */
const USED_MS = 60_000;
/** Of a token that nobody uses any more. */
const USED_KEPT_MS = 400 * 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** A valid token. */
export interface TokenIdentity {
  readonly id: string;
  readonly reviewer: Reviewer;
  readonly access: Access;
  /** Milliseconds since 1970; `null`: it does not expire. */
  readonly expiresAt: number | null;
}

/** `token`: the API token that makes another one; `null` or absent for a person. */
export interface MakersAccess extends Access {
  readonly token?: Pick<TokenIdentity, 'expiresAt'> | null;
}

/** What a new token may do. `days`: until it expires; `null`: never. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
  readonly days: number | null;
}

/** API tokens, in the engine's values: shared like the storage, kept as hashes. */
export interface Tokens {
  /**
   * `null` for an unknown or revoked token. `sparing`: do not read the storage for an unknown one, which another core may have
   * made in the last seconds. @throws `unauthenticated` for an expired one.
   */
  recognise(values: Values, token: string, sparing: boolean): Promise<TokenIdentity | null>;
  /** Whether the token was valid when the tokens were last read. */
  seen(token: string): boolean;
  /** Another core has changed the tokens. */
  changed(): void;
  list(values: Values): Promise<readonly TokenEntry[]>;
  /**
   * `own`: of the credential that makes it; a token ends with the one that made it at the latest. @throws `malformed` if the name is
   * taken or there are too many; `forbidden` beyond the maker's own access.
   */
  make(values: Values, request: TokenRequest, maker: Reviewer, own: MakersAccess): Promise<MadeToken>;
  /** False if there is no such token. */
  revoke(values: Values, id: string): Promise<boolean>;
}

export function createTokens(now: () => number): Tokens {
  let cached: { readonly at: number; readonly byHash: ReadonlyMap<string, StoredToken> } | null = null;
  /** When this core last wrote the use of a token. */
  const used = boundedMap<string, number>(MOST_TOKENS);

  const remember = (tokens: readonly StoredToken[]) => {
    cached = { at: now(), byHash: new Map(tokens.map((token) => [token.hash, token])) };
    return tokens;
  };
  const current = async (values: Values): Promise<ReadonlyMap<string, StoredToken>> => {
    if (cached !== null && Math.abs(now() - cached.at) < FRESH_MS) return cached.byHash;
    await reread(values);
    return cached?.byHash ?? new Map();
  };
  const reread = async (values: Values) => remember(readTokens(await values.get(TOKENS_KEY)));
  const change = async (values: Values, next: (tokens: readonly StoredToken[]) => readonly StoredToken[]) => {
    const text = await values.change(TOKENS_KEY, (before) => writeTokens(next(readTokens(before)), now()));
    return remember(readTokens(text));
  };
  const noteUse = (values: Values, token: StoredToken) => {
    const { id } = token;
    if (now() - (used.get(id) ?? 0) < USED_MS) return;
    used.set(id, now());
    // Not worth a failed request.
    storeUse(values, token, now()).catch(() => used.delete(id));
  };

  return {
    async recognise(values, token, sparing) {
      const hash = hashOfToken(token);
      let stored = (await current(values)).get(hash);
      if (stored === undefined && !sparing) stored = (await reread(values)).find((one) => one.hash === hash);
      if (stored === undefined) return null;
      if (isExpired(stored, now())) throw expired(stored);
      noteUse(values, stored);
      return identityOf(stored);
    },
    seen(token) {
      const stored = cached?.byHash.get(hashOfToken(token));
      return stored !== undefined && !isExpired(stored, now());
    },
    changed() {
      cached = null;
    },
    async list(values) {
      const tokens = await reread(values);
      return Promise.all(tokens.map(async (token) => entryOf(token, await values.get(usedKey(token.id)))));
    },
    async make(values, request, maker, own) {
      checkWithin(request, own);
      const token = newToken();
      const made = storedOf(
        request,
        hashOfToken(token),
        { by: maker.name, until: own.token?.expiresAt ?? null },
        now(),
      );
      await change(values, (tokens) => {
        if (tokens.some(({ name }) => name === made.name)) throw taken(made.name);
        if (tokens.length >= MOST_TOKENS) throw tooMany();
        return [...tokens, made];
      });
      return { ...entryOf(made, undefined), token };
    },
    async revoke(values, id) {
      let found = false;
      await change(values, (tokens) => {
        found = tokens.some((token) => token.id === id);
        return tokens.filter((token) => token.id !== id);
      });
      used.delete(id);
      await values.delete(usedKey(id));
      return found;
    },
  };
}

/** Leaves nothing of a token that another core revokes meanwhile: it deletes the token first, its use second. */
async function storeUse(values: Values, { id, expires_at }: StoredToken, now: number): Promise<void> {
  const listed = expires_at === null ? USED_KEPT_MS : Date.parse(expires_at) - now + EXPIRED_KEPT_MS;
  await values.set(usedKey(id), String(now), Math.min(USED_KEPT_MS, listed));
  const tokens = readTokens(await values.get(TOKENS_KEY));
  if (!tokens.some((one) => one.id === id)) await values.delete(usedKey(id));
}

function usedKey(id: string): string {
  return `token-used:${id}`;
}

/** `until`: the latest end, in milliseconds since 1970; `null`: none. */
function storedOf(
  { name, scopes, projects, days }: TokenRequest,
  hash: string,
  { by, until }: { readonly by: string; readonly until: number | null },
  now: number,
): StoredToken {
  const wanted = days === null ? Number.POSITIVE_INFINITY : now + days * DAY_MS;
  const end = Math.min(wanted, until ?? Number.POSITIVE_INFINITY);
  return {
    id: `tok_${randomBytes(8).toString('hex')}`,
    hash,
    name,
    scopes: [...new Set(scopes)],
    projects: projects === null ? null : [...new Set(projects)].sort(),
    made_by: by,
    made_at: new Date(now).toISOString(),
    expires_at: end === Number.POSITIVE_INFINITY ? null : new Date(end).toISOString(),
  };
}

function entryOf({ hash: _, scopes, projects, ...rest }: StoredToken, used: string | undefined): TokenEntry {
  const last_used_at =
    used === undefined ? null : new Date(Math.floor(Number(used) / 60_000) * 60_000).toISOString();
  return { ...rest, scopes: [...scopes], projects: projects === null ? null : [...projects], last_used_at };
}

function identityOf({ id, name, made_by, scopes, projects, expires_at }: StoredToken): TokenIdentity {
  return {
    id,
    reviewer: { name: made_by, via: 'api', token: name },
    access: { scopes: new Set(scopes), projects },
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
  };
}

/** Nobody hands on more than they have. */
function checkWithin({ scopes, projects }: TokenRequest, own: Access): void {
  const missing = scopes.find((scope) => !own.scopes.has(scope));
  if (missing !== undefined) {
    throw new CulpritError(
      'forbidden',
      `You cannot give the scope "${missing}", because you do not have it.`,
      {
        members: { scope: missing },
      },
    );
  }
  const within =
    own.projects === null || (projects ?? [null]).every((one) => one !== null && own.projects?.includes(one));
  if (!within) throw new CulpritError('forbidden', 'You cannot give access to projects that you do not see.');
}

function expired({ expires_at }: StoredToken): CulpritError {
  const detail = `This token expired at ${expires_at}. Make a new one on the board (Settings, Tokens) or with "culprit token new".`;
  return new CulpritError('unauthenticated', detail);
}

function taken(name: string): CulpritError {
  return new CulpritError(
    'malformed',
    `There is already a token named "${name}". Choose another name, or revoke it first.`,
    {
      path: 'name',
    },
  );
}

function tooMany(): CulpritError {
  return new CulpritError('malformed', `There are ${MOST_TOKENS} tokens. Revoke one that is not used.`, {
    path: 'name',
  });
}
