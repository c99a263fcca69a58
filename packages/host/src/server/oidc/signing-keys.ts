import { type CacheContext, openCache } from '@culprit/connectors/storage';
import { CulpritError } from '@culprit/core';
import { boundedFetch } from './bounded-fetch.js';
import type { Claims } from './claims.js';
import { SignInError } from './options.js';

/** No symmetric algorithm and no `none`: a public key must never serve as a secret. */
export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];
/** Keys are fetched again after this time, */
const KEPT_MS = 60 * 60_000;
/** and for an unknown key, but at most once in this time. */
const AGAIN_MS = 10_000;
/** Largest difference between the provider's clock and core's. */
export const CLOCK_TOLERANCE_S = 60;

export interface Expected {
  readonly issuer: string;
  readonly audience: string;
}

/** The keys that a provider signs with. */
export interface SigningKeys {
  /** The claims of a JWT, once its signature, issuer, audience and times are checked. Rejects with {@link SignInError}. */
  verify(jwt: string, expected: Expected): Promise<Claims>;
}

/** @param address of the provider's key set. */
export function signingKeys(address: string, now: () => number, context: CacheContext): SigningKeys {
  const options = { namespace: 'jwks', ttlMs: KEPT_MS, entries: 1 };
  const sets = openCache<{ readonly set: KeySet; readonly at: number }>(context, options);
  const fetched = async () => {
    const response = await boundedFetch(address, { headers: { accept: 'application/json' } });
    if (response.status !== 200)
      throw new SignInError('provider_refused', { cause: new Error(`keys: status ${response.status}`) });
    const found = { set: (await response.json()) as KeySet, at: now() };
    await sets.set(address, found);
    return found;
  };
  return {
    async verify(jwt, { issuer, audience }) {
      const { createLocalJWKSet, jwtVerify, errors } = await loadJose();
      const options = {
        ...{ issuer, audience, algorithms: [...ALGORITHMS], clockTolerance: CLOCK_TOLERANCE_S },
        ...{ currentDate: new Date(now()), requiredClaims: ['iat', 'exp'] },
      };
      const read = async ({ set }: { readonly set: KeySet }) => {
        const { payload } = await jwtVerify(jwt, createLocalJWKSet(set), options);
        if ((payload.iat ?? 0) * 1_000 > now() + CLOCK_TOLERANCE_S * 1_000)
          throw new Error('"iat" is in the future');
        return payload;
      };
      try {
        const kept = await sets.get(address);
        const current = kept !== undefined && Math.abs(now() - kept.at) < KEPT_MS ? kept : await fetched();
        return await read(current).catch(async (error: unknown) => {
          const isUnknown = error instanceof errors.JWKSNoMatchingKey;
          if (!isUnknown || now() - current.at < AGAIN_MS) throw error;
          return read(await fetched());
        });
      } catch (error) {
        throw error instanceof SignInError ? error : new SignInError('answer_refused', { cause: error });
      }
    },
  };
}

type Jose = typeof import('jose');
type KeySet = Parameters<Jose['createLocalJWKSet']>[0];

async function loadJose(): Promise<Jose> {
  try {
    return await import('jose');
  } catch (cause) {
    throw missing(cause);
  }
}

/** The error for a library that is not installed. */
export function missing(cause: unknown): unknown {
  if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') return cause;
  const needed = 'Sign-in at a provider needs two packages: npm install openid-client jose';
  return new CulpritError('connector_missing', needed, { cause });
}
