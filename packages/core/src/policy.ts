import { DEFAULT_QUOTAS } from './domain/quota.js';
import type { EnginePolicy } from './engine-api.js';
import { EVENT_BYTES } from './pipeline/normalise/index.js';
import { CLAIMED_DIFFS } from './pipeline/rank/weights.js';

/** The policy of an engine that is created without one. */
export const DEFAULT_POLICY: EnginePolicy = {
  quietAfterRejectMs: 7 * 24 * 60 * 60_000,
  analysisMs: 120_000,
  investigation: {
    when: 'auto',
    questions: 12,
    tokens: 200_000,
    ms: 300_000,
    price: null,
    cost: null,
    costPerDay: null,
  },
  explainMs: 60_000,
  publishWaitMs: 25_000,
  publishSearchMs: 60 * 60_000,
  resolvedRuns: 'comment',
  closedIssues: 'resolve',
  regressionIssues: 'new',
  claimMs: 60 * 60_000,
  requireBoundApproval: false,
  requireSecondPerson: false,
  diffBudget: CLAIMED_DIFFS,
  notifyPausesMs: [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 18_000_000],
  issueStateMs: 10 * 60_000,
  quotas: DEFAULT_QUOTAS,
  eventBytes: EVENT_BYTES,
  checkMs: 5_000,
};
