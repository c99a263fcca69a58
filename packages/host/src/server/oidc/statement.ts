import type { Claims } from './claims.js';

/** What the provider says about a person. */
export interface Statement {
  /** Verified. `null`: it says no more than that the person still has access. */
  readonly claims: Claims | null;
  /** To ask again with; `null` if it gave none. */
  readonly refreshToken: string | null;
}

/** What the provider says when a person signs in. */
export interface SignedIn extends Statement {
  readonly claims: Claims;
  /** As the provider signed it: with it, the provider knows whom to sign out, and by whose wish. */
  readonly idToken: string | null;
}
