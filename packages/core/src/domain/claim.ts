import * as v from 'valibot';
import type { Run } from './run.js';
import { about, type Doc } from './schema.js';

export const claimSchema = v.object({
  by: v.string(),
  at: about(v.string(), 'ISO 8601.'),
  until: about(v.string(), 'ISO 8601. The claim ends at this time.'),
});
/**
 * The reviewer who looks at a run. It keeps nobody from deciding, and ends with the next decision, on release, or at `until`; read it
 * with `claimOf`.
 */
export interface RunClaim extends Doc<typeof claimSchema> {}

/** Maximum length of a comment, and maximum number on one run. */
export const COMMENT_LIMITS = { chars: 2_000, comments: 500 } as const;

/** The claim, unless it is over. `now`: milliseconds since 1970. */
export function claimOf({ claim }: Pick<Run, 'claim'>, now: number): RunClaim | null {
  return claim && Date.parse(claim.until) > now ? claim : null;
}
