import { RANKING_VERSION } from './rank/weights.js';

/** Versions of the parts that shape a draft, kept with its evidence. A change that changes drafts raises one. The prompt's is its explainer's. */
export const PART_VERSIONS = {
  culprit: '0.1.0',
  ranking: RANKING_VERSION,
  draft: '5',
} as const;
