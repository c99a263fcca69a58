import { randomBytes } from 'node:crypto';
import { openCache } from '@culprit/connectors/storage';
import { CulpritError, type Reviewer, silentLogger } from '@culprit/core';
import {
  type Access,
  ALL_SCOPES,
  includes,
  narrow,
  projectsWith,
  type Scope,
} from '@culprit/core/internal/domain/access';
import { ERASED } from '@culprit/core/internal/pipeline/erase-person';
import type { Values } from '@culprit/core/internal/ports/values';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import * as v from 'valibot';
import type { MadeToken, TokenEntry } from '../schema/tokens.js';
import { type Provided, type ProvidedAccess, providedSchema, sameGifts, type Vouched } from '../sessions.js';
import { hashOfToken, newToken } from './token-text.js';

/** How long other cores may still accept a revoked token. */
const FRESH_MS = 3_000;
/** The one look-up. */
const ALL = 'all';
/** `last_used_at` is written at most this often by each core. */
const USED_MS = 60_000;
/** Of a token that nobody uses any more. */
const USED_KEPT_MS = 400 * 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** A valid token. */
export interface TokenIdentity {
  readonly id: string;
  readonly reviewer: Reviewer;
  /** At most what its maker may do, if a provider vouched for them. */
  readonly access: Access;
  /** The sign-in of its maker; `null` if no provider vouched for them. */
  readonly vouched: Vouched | null;
  /** Milliseconds since 1970; `null`: it does not expire. */
  readonly expiresAt: number | null;
}

/** Who makes a token: a person, or an API token in their name. */
interface Maker extends Pick<TokenIdentity, 'reviewer' | 'access' | 'vouched'> {
  readonly token: Pick<TokenIdentity, 'id' | 'expiresAt'> | null;
}

/** What a new token may do. `days`: until it expires; `null`: never. */
interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
  readonly days: number | null;
}

/** Names a token. */
type TokenName = Pick<TokenEntry, 'id' | 'name'>;

/** API tokens, in the engine's values: shared like the storage, kept as hashes. */
export interface Tokens {
  /**
   * `null` for an unknown or revoked token. `sparing`: do not read the storage for an unknown one, which another core may have
   * made in the last seconds. @throws `unauthenticated` for an expired one, and for one whose maker has no role any more.
   */
  recognise(values: Values, token: string, sparing: boolean): Promise<TokenIdentity | null>;
  /** Another core has changed the tokens. */
  changed(): void;
  list(values: Values): Promise<readonly TokenEntry[]>;
  /**
   * A token ends with the one that made it at the latest. @throws `malformed` if the name is taken or there are too many;
   * `forbidden` beyond the maker's own access; `unauthenticated` if the maker is a token that is revoked meanwhile.
   */
  make(values: Values, request: TokenRequest, maker: Maker): Promise<MadeToken>;
  /** Revokes a token and those that it made. Resolves with all of them, the given one first; with none if it is unknown. */
  revoke(values: Values, id: string): Promise<readonly TokenName[]>;
  /** Somebody has signed in: what their claims say now applies to their tokens. Resolves with the ids of tokens that this changes. */
  signedIn(values: Values, provided: Provided): Promise<readonly string[]>;
}

export function createTokens(now: () => number, providedAccess: ProvidedAccess = () => null): Tokens {
  const lookups = openCache<ReadonlyMap<string, StoredToken>>(
    { logger: silentLogger },
    { namespace: 'tokens', ttlMs: FRESH_MS, entries: 1, local: true },
  );
  /** When this core last wrote the use of a token. */
  const used = boundedMap<string, number>(MAX_TOKENS);

  const byHash = (tokens: readonly StoredToken[]) => new Map(tokens.map((token) => [token.hash, token]));
  const remember = async (tokens: readonly StoredToken[]) => {
    await lookups.set(ALL, byHash(tokens));
    return tokens;
  };
  const current = async (values: Values) => (await lookups.get(ALL)) ?? byHash(await reread(values));
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
      const identity = identityOf(stored, providedAccess);
      if (identity === null) throw unvouched();
      noteUse(values, stored);
      return identity;
    },
    changed() {
      void lookups.delete(ALL);
    },
    async list(values) {
      const tokens = await reread(values);
      return Promise.all(tokens.map(async (token) => entryOf(token, await values.get(usedKey(token.id)))));
    },
    async make(values, request, maker) {
      checkWithin(request, maker.access);
      const token = newToken();
      const made = storedOf(request, hashOfToken(token), maker, now());
      await change(values, (tokens) => {
        const { made_with } = made;
        if (made_with !== undefined && !tokens.some(({ id }) => id === made_with)) throw makerRevoked();
        if (tokens.some(({ name }) => name === made.name)) throw taken(made.name);
        if (tokens.length >= MAX_TOKENS) throw tooMany();
        return [...tokens, made];
      });
      return { ...entryOf(made, undefined), token };
    },
    async revoke(values, id) {
      let family: readonly StoredToken[] = [];
      await change(values, (tokens) => {
        family = familyOf(tokens, id);
        return tokens.filter((token) => !family.includes(token));
      });
      for (const one of family) {
        used.delete(one.id);
        await values.delete(usedKey(one.id));
      }
      return family.map((one) => ({ id: one.id, name: one.name }));
    },
    async signedIn(values, provided) {
      const isStale = ({ vouched }: StoredToken) =>
        vouched?.provided.subject === provided.subject && !sameGifts(vouched.provided, provided);
      const stale = (await reread(values)).filter(isStale).map(({ id }) => id);
      if (stale.length === 0) return [];
      await change(values, (tokens) =>
        tokens.map((token) => {
          if (token.vouched === undefined || !isStale(token)) return token;
          return { ...token, vouched: { ...token.vouched, provided } };
        }),
      );
      return stale;
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

function storedOf(
  { name, scopes, projects, days }: TokenRequest,
  hash: string,
  { reviewer, token, vouched }: Maker,
  now: number,
): StoredToken {
  const wanted = days === null ? Number.POSITIVE_INFINITY : now + days * DAY_MS;
  const end = Math.min(wanted, token?.expiresAt ?? Number.POSITIVE_INFINITY);
  return {
    id: `tok_${randomBytes(8).toString('hex')}`,
    hash,
    name,
    scopes: [...new Set(scopes)],
    projects: projects === null ? null : [...new Set(projects)].sort(),
    made_by: reviewer.name,
    ...(token === null ? {} : { made_with: token.id }),
    ...(vouched === null ? {} : { vouched }),
    made_at: new Date(now).toISOString(),
    expires_at: end === Number.POSITIVE_INFINITY ? null : new Date(end).toISOString(),
  };
}

function entryOf(
  { hash: _, vouched: __, scopes, projects, made_with, ...rest }: StoredToken,
  used: string | undefined,
): TokenEntry {
  const last_used_at =
    used === undefined ? null : new Date(Math.floor(Number(used) / 60_000) * 60_000).toISOString();
  return {
    ...rest,
    made_with: made_with ?? null,
    scopes: [...scopes],
    projects: projects && [...projects],
    last_used_at,
  };
}

/** `null` if a provider vouched for the maker, and the configuration gives them nothing any more. */
function identityOf(token: StoredToken, providedAccess: ProvidedAccess): TokenIdentity | null {
  const { id, name, made_by, expires_at, vouched = null } = token;
  const own = [{ scopes: token.scopes, projects: token.projects }];
  const makers = vouched && providedAccess(vouched.credential, vouched.provided);
  if (vouched !== null && makers === null) return null;
  return {
    id,
    reviewer: { name: made_by, via: 'api', token: name },
    access: makers === null ? own : narrow(own, makers),
    vouched,
    expiresAt: expires_at === null ? null : Date.parse(expires_at),
  };
}

/** Nobody hands on more than they have. */
function checkWithin({ scopes, projects }: TokenRequest, own: Access): void {
  const missing = scopes.find((scope) => projectsWith(own, scope)?.length === 0);
  if (missing !== undefined) {
    throw new CulpritError(
      'forbidden',
      `You cannot give the scope "${missing}", because you do not have it.`,
      {
        members: { scope: missing },
      },
    );
  }
  const beyond = scopes.find((scope) => {
    const held = projectsWith(own, scope);
    return projects === null ? held !== null : !projects.every((project) => includes(held, project));
  });
  if (beyond === undefined) return;
  const detail = `You cannot give the scope "${beyond}" in projects in which you do not have it. Name projects in which you have it.`;
  throw new CulpritError('forbidden', detail, { members: { scope: beyond } });
}

function expired({ expires_at }: StoredToken): CulpritError {
  const detail = `This token expired at ${expires_at}. Make a new one on the board (Settings, Tokens) or with "culprit token new".`;
  return new CulpritError('unauthenticated', detail);
}

function unvouched(): CulpritError {
  const detail =
    'The person who made this token no longer has a role, so the token is refused. Ask an operator for another one.';
  return new CulpritError('unauthenticated', detail);
}

function makerRevoked(): CulpritError {
  return new CulpritError('unauthenticated', 'The token that makes this one has been revoked.');
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
  return new CulpritError('malformed', `There are ${MAX_TOKENS} tokens. Revoke one that is not used.`, {
    path: 'name',
  });
}

/** The key of all tokens. `culprit erase` removes names below `tokens:`, so a token whose maker was erased stops working. */
const TOKENS_KEY = 'tokens:all';
/** Stored tokens, expired ones included. */
const MAX_TOKENS = 200;
/** How long an expired token is listed, so that its users learn why it is refused. */
const EXPIRED_KEPT_MS = 30 * 24 * 60 * 60_000;

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

type StoredToken = Readonly<Omit<v.InferOutput<typeof storedSchema>, 'scopes'>> & {
  readonly scopes: readonly Scope[];
};

/** Scopes of a newer version are left out. @throws `storage_unavailable` if the value is damaged, so that nothing overwrites it. */
function readTokens(text: string | undefined): readonly StoredToken[] {
  if (text === undefined) return [];
  const read = v.safeParse(listSchema, JSON.parse(text));
  if (!read.success) throw new CulpritError('storage_unavailable', 'The stored tokens cannot be read.');
  return read.output.tokens
    .filter(({ made_by }) => !made_by.includes(ERASED))
    .map((token) => ({ ...token, scopes: ALL_SCOPES.filter((scope) => token.scopes.includes(scope)) }));
}

function writeTokens(tokens: readonly StoredToken[], now: number): string {
  const kept = tokens.filter(({ expires_at }) => {
    return expires_at === null || Date.parse(expires_at) > now - EXPIRED_KEPT_MS;
  });
  return JSON.stringify({ tokens: kept });
}

function isExpired({ expires_at }: Pick<StoredToken, 'expires_at'>, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}

/** The token of this id and those that it made, directly or not; none if it is unknown. */
function familyOf(tokens: readonly StoredToken[], id: string): readonly StoredToken[] {
  const ids = new Set([id]);
  // A token is stored after the one that made it.
  return tokens.filter((token) => {
    const belongs = ids.has(token.id) || (token.made_with !== undefined && ids.has(token.made_with));
    if (belongs) ids.add(token.id);
    return belongs;
  });
}
