import { RANKING_VERSION } from './rank/weights.js';

/** Evidence of this version contains only what may be read. Older evidence has no version, and is reduced when it is read. */
export const SCRUBBED = '2';

/** Versions of the parts that affect a draft, stored in its evidence. Raise one with every change that changes drafts. */
export const PART_VERSIONS = {
  culprit: '0.2.0',
  ranking: RANKING_VERSION,
  draft: '10',
  evidence: SCRUBBED,
} as const;
