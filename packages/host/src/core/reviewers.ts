import { createHash, timingSafeEqual } from 'node:crypto';

export interface ReviewerCredential {
  readonly name: string;
  readonly token: string;
}

/** A reviewer whose token was recognised. */
export interface Recognised {
  readonly name: string;
  /** Names the token without telling it; a session ends when its token is taken away. */
  readonly credential: string;
}

export interface Reviewers {
  /** `null` for a token that is not known. Takes the same time for every token of the same length. */
  recognise(token: string): Recognised | null;
  /** True while a token with this credential is configured. */
  knows(credential: string): boolean;
}

/** Tokens are compared as hashes, each with all, so neither length nor place of a difference shows in time. */
export function createReviewers(credentials: readonly ReviewerCredential[]): Reviewers {
  const known = credentials
    .filter(({ token }) => token !== '')
    .map(({ name, token }) => ({ name, hash: sha256(token), credential: credentialOf(token) }));
  const ids = new Set(known.map(({ credential }) => credential));
  return {
    recognise(token) {
      const hash = sha256(token);
      let found: Recognised | null = null;
      for (const reviewer of known) {
        if (timingSafeEqual(hash, reviewer.hash)) {
          found = { name: reviewer.name, credential: reviewer.credential };
        }
      }
      return found;
    },
    knows: (credential) => ids.has(credential),
  };
}

/** True where the text is one of the secrets; constant-time, never true for an empty list. */
export function createSecretCheck(secrets: readonly string[]): (text: string) => boolean {
  const hashes = secrets.filter((secret) => secret !== '').map(sha256);
  return (text) => {
    const hash = sha256(text);
    let matches = false;
    for (const known of hashes) if (timingSafeEqual(hash, known)) matches = true;
    return matches;
  };
}

/** The token of an `Authorization: Bearer …` header; `null` for another scheme, empty where it holds nothing. */
export function bearerToken(authorization: string): string | null {
  const match = /^bearer +(\S.*)$/i.exec(authorization);
  return match?.[1]?.trim() ?? null;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function credentialOf(token: string): string {
  return createHash('sha256').update(`culprit.credential\n${token}`).digest('hex').slice(0, 32);
}
