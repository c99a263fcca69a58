import { createHash, timingSafeEqual } from 'node:crypto';

export interface ReviewerCredential {
  readonly name: string;
  readonly token: string;
}

/** An authenticated reviewer. */
export interface Recognised {
  readonly name: string;
  /** Identifies the token without revealing it. A session ends when its token is removed. */
  readonly credential: string;
  /** The token is short enough to be found by trying. */
  readonly guessable: boolean;
}

/** Shorter secrets can be guessed. */
export const UNGUESSABLE_CHARS = 16;

export interface Reviewers {
  /** `null` for an unknown token. Constant time for tokens of the same length. */
  recognise(token: string): Recognised | null;
  /** `null` if no token with this credential is configured any more. */
  holder(credential: string): Recognised | null;
}

/** Compares hashes of tokens, always all of them, so that timing reveals nothing about them. */
export function createReviewers(credentials: readonly ReviewerCredential[]): Reviewers {
  const known = credentials
    .filter(({ token }) => token !== '')
    .map(({ name, token }) => ({
      hash: sha256(token),
      recognised: { name, credential: credentialOf(token), guessable: token.length < UNGUESSABLE_CHARS },
    }));
  const holders = new Map(known.map(({ recognised }) => [recognised.credential, recognised]));
  return {
    recognise(token) {
      const hash = sha256(token);
      let found: Recognised | null = null;
      for (const reviewer of known) {
        if (timingSafeEqual(hash, reviewer.hash)) found = reviewer.recognised;
      }
      return found;
    },
    holder: (credential) => holders.get(credential) ?? null,
  };
}

/** Whether the text is one of the secrets. Constant time; always false for an empty list. */
export function createSecretCheck(secrets: readonly string[]): (text: string) => boolean {
  const hashes = secrets.filter((secret) => secret !== '').map(sha256);
  return (text) => {
    const hash = sha256(text);
    let matches = false;
    for (const known of hashes) if (timingSafeEqual(hash, known)) matches = true;
    return matches;
  };
}

/** The token of an `Authorization: Bearer …` header; `null` for another scheme. May be empty. */
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
