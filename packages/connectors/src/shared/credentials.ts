import { hash, timingSafeEqual } from 'node:crypto';
import { type RawDelivery, secret, type Verification } from '@culprit/core/connector';
import * as v from 'valibot';
import { projectName } from './config.js';

/** A credential's fingerprint, kept for comparison instead of its text. */
type Fingerprinted = Buffer;

export function fingerprintOf(credential: string): Fingerprinted {
  return hash('sha256', credential, 'buffer');
}

/**
 * The entry whose credential was presented, or `null`. Takes constant time: both sides are hashed and every entry is
 * compared, even after a match. An empty credential matches nothing.
 */
export function findCredential<Entry extends { readonly fingerprint: Fingerprinted }>(
  entries: readonly Entry[],
  presented: string,
): Entry | null {
  const given = fingerprintOf(presented);
  let found: Entry | null = null;
  for (const entry of entries) {
    if (timingSafeEqual(entry.fingerprint, given)) found ??= entry;
  }
  return presented === '' ? null : found;
}

/** A shorter one is a mistake. `culprit doctor` warns about tokens that can be guessed. */
const SHORTEST_TOKEN = 4;

/** `name` identifies the sender in logs, guards and rate limits; `token` is its credential. An empty list closes the endpoint. */
export const serviceTokens = v.array(
  v.strictObject({
    project: projectName,
    name: v.pipe(v.string(), v.nonEmpty()),
    token: v.pipe(secret(), v.minLength(SHORTEST_TOKEN)),
  }),
);

export const TOKEN_HEADER = 'x-service-token';

/** Compares the token of a delivery with every active one. `where` begins the reason of a refusal. */
export function tokenVerifier(
  configured: v.InferOutput<typeof serviceTokens>,
  tokenOf: (headers: RawDelivery['headers']) => string | undefined,
  where: string,
): (delivery: Pick<RawDelivery, 'headers'>) => Verification {
  const tokens = configured
    .filter(({ token }) => token !== '')
    .map(({ project, name, token }) => ({ project, name, fingerprint: fingerprintOf(token) }));
  return ({ headers }) => {
    const token = tokenOf(headers) ?? '';
    if (token === '') return { ok: false, status: 401, reason: `${where} is missing.` };
    const found = findCredential(tokens, token);
    if (found === null)
      return { ok: false, status: 401, reason: `${where} does not contain an active token.` };
    return { ok: true, project: found.project, credential: `${found.project}/${found.name}` };
  };
}
