import type { Values } from '@culprit/core/internal/ports/values';
import { type Provided, type Sessions, sameGifts } from '../sessions.js';

export interface ApplyingParts {
  readonly sessions: Sessions;
  /** Judges the person's API tokens by what the claims say now. */
  readonly judgeTokens: (values: Values, provided: Provided) => Promise<void>;
  /** Ends the live feeds of a session, by its storage key. */
  readonly ended: (key: string) => Promise<void>;
}

/**
 * What the provider says about a person now: their API tokens do at most that, and their sessions that were opened with other claims
 * end, in every browser.
 */
export async function applyClaims(
  { sessions, judgeTokens, ended }: ApplyingParts,
  values: Values,
  provided: Provided,
): Promise<void> {
  await judgeTokens(values, provided);
  for (const { session } of await sessions.list(values, provided.subject)) {
    if (session.vouched !== null && sameGifts(session.vouched.provided, provided)) continue;
    await sessions.close(values, session.key);
    await ended(session.key);
  }
}
