/** Why events are one incident. */
export interface Fingerprint {
  /** The algorithm's version; a new version never regroups silently. */
  readonly version: string;
  /**
   * 64 hex digits, computed from `version`, strategy and the `parts` of the first crash of the incident. Later runs of the
   * incident have the same, also if their first crash came in a form with other parts.
   */
  readonly hash: string;
  /** What was hashed, for display: `exception TypeError`, `frame cart.js total`. */
  readonly parts: readonly string[];
}
