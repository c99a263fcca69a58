import { RANKING_VERSION } from './rank/weights.js';

/** Versions of the parts that affect a draft, stored in its evidence. Raise one with every change that changes drafts. */
export const PART_VERSIONS = {
  culprit: '0.1.0',
  ranking: RANKING_VERSION,
  draft: '9',
} as const;
