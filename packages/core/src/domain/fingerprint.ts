/** Why events are one incident. `hash` is computed from `version`, `strategy` and `parts` alone. */
export interface Fingerprint {
  /** The algorithm's version; a new version never regroups silently. */
  readonly version: string;
  /** 64 hex digits. */
  readonly hash: string;
  /** What was hashed, for display: `exception TypeError`, `frame cart.js total`. */
  readonly parts: readonly string[];
}
