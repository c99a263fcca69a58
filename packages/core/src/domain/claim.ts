import type { Run } from './run.js';

/** The reviewer who looks at a run. It keeps nobody from deciding, and ends with the next decision, on release, or at `until`. */
export interface RunClaim {
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601. Nobody has claimed the run from then on; see `claimOf`. */
  readonly until: string;
}

/** Maximum length of a comment, and maximum number on one run. */
export const COMMENT_LIMITS = { chars: 2_000, comments: 500 } as const;

/** The claim, unless it is over. `now`: milliseconds since 1970. */
export function claimOf({ claim }: Pick<Run, 'claim'>, now: number): RunClaim | null {
  return claim && Date.parse(claim.until) > now ? claim : null;
}
