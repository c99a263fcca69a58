import { erasePerson, type RunSummary } from '@culprit/core';
import { eraseReviewers } from './erase-history.js';

export interface ErasedSummary {
  readonly run: RunSummary;
  readonly places: number;
  /** An issue has a comment that names the person. */
  readonly commented: boolean;
}

/** What lists show of a run, without the person. */
export function eraseShown(run: RunSummary, person: string): ErasedSummary {
  const { fingerprint, publication } = run;
  const shown = { ...textsOf(run), parts: fingerprint.parts, divergence: publication?.divergence ?? [] };
  const { value, places } = erasePerson(shown, person);
  const reviewers = eraseReviewers(run, person);
  const { parts, divergence, ...texts } = value;
  return {
    run: {
      ...run,
      ...reviewers,
      ...texts,
      fingerprint: { ...fingerprint, parts },
      publication: publication && { ...publication, divergence },
    },
    places: places + Object.keys(reviewers).length,
    commented: reviewers.follow_up?.comment != null || reviewers.link_back?.change != null,
  };
}

/** Members with text from outside; those that the run does not have stay absent. */
function textsOf(run: RunSummary): Pick<RunSummary, (typeof TEXTS)[number]> {
  return Object.fromEntries(
    TEXTS.flatMap((name) => (run[name] === undefined ? [] : [[name, run[name]]])),
  ) as unknown as Pick<RunSummary, (typeof TEXTS)[number]>;
}

const TEXTS = [
  'title',
  'last_error',
  'suspects',
  'releases',
  'environments',
  'place',
  'no_suspect',
  'fix',
  'woken',
  'members',
  'sources',
] as const satisfies readonly (keyof RunSummary)[];
