import type { step } from '../domain/entries.js';
import type { FollowUp } from '../domain/resolution.js';
import type { Run } from '../domain/run.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { Publisher, Reopening } from '../ports/publisher.js';

export type Following = Run & { readonly follow_up: FollowUp };
/** The run, its publication and its issue's system. */
export interface Target {
  readonly run: Following;
  readonly repository: string;
  readonly number: number;
  readonly url: string;
  readonly publisher: Publisher;
  readonly reopening: Reopening;
}
export type Round = 'again' | 'done';
/** What a round changes of the follow-up. */
export type Change = (
  followUp: FollowUp,
  now: string,
) => {
  readonly follow_up: Partial<FollowUp>;
  readonly lease: 'longer' | null;
  readonly history: ReturnType<typeof step>[];
  readonly tell: boolean;
};

export function isFollowing(run: Run): run is Following {
  return run.follow_up?.state === 'pending';
}

export function runError({ code, message, retryable }: CulpritError) {
  return { code, detail: message, retryable };
}

export function asCulpritError(error: unknown): CulpritError {
  if (isCulpritError(error)) return error;
  const detail = error instanceof Error ? error.message : 'no response';
  return new CulpritError('publish_ambiguous', `The publisher failed: ${detail}`, { cause: error });
}
