import type { EnginePolicy, SanitiserOptions } from '@culprit/core';
import type { Secret } from './secret.js';
import type { ValuesOf } from './setting.js';
import type { LOG_LEVELS, SETTINGS } from './settings.js';

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting, checked. Printing it shows no secret. */
export interface Config extends Omit<ValuesOf<typeof SETTINGS>, 'dataDirectory' | 'storageUrl'> {
  /** Absolute. */
  readonly dataDirectory: string;
  /** Without its password; see `storageAddress`. */
  readonly storageUrl: string;
  readonly storagePassword: Secret | null;
  /** The absolute path of `culprit.json`, which may not be there. */
  readonly settingsFile: { readonly path: string; readonly isThere: boolean };
  /** Settings that are allowed and probably unintended, for the log. */
  readonly warnings: readonly string[];
}

/** The storage's address with its password; only for the storage connector. */
export function storageAddress({ storageUrl, storagePassword }: Config): string {
  if (storagePassword === null) return storageUrl;
  const url = new URL(storageUrl);
  url.password = encodeURIComponent(storagePassword.reveal());
  return url.href;
}

/** True if any number of processes may use the storage. */
export function isShared({ storageUrl }: Config): boolean {
  return /^rediss?:/.test(storageUrl);
}

/** True for a storage that is in files of this machine, which one process owns. */
export function isInFiles({ storageUrl }: Config): boolean {
  return /^(?:file|sqlite):/.test(storageUrl);
}

export function sanitiserOptions({ scrubEmail, scrubIp, scrub }: Config): Required<SanitiserOptions> {
  return { email: scrubEmail, ip: scrubIp, rules: scrub.rules };
}

export function enginePolicy({
  requireSecondPerson,
  requireBoundApproval,
  quietAfterReject,
  ...config
}: Config) {
  return {
    requireSecondPerson,
    requireBoundApproval,
    quietAfterRejectMs: quietAfterReject,
    claimMs: config.claimTime,
    investigation: {
      when: config.investigate,
      questions: config.investigateQuestions,
      tokens: config.investigateTokens,
      ms: config.investigateSeconds * 1_000,
      price: config.investigatePrice,
      cost: config.investigateCost,
      costPerDay: config.investigateCostPerDay,
    },
    quotas: config.quotas,
    eventBytes: config.eventBytes,
    publishSearchMs: config.publishSearch,
    regressionIssues: config.regressionIssues,
    closedIssues: config.closedIssues,
    resolvedRuns: config.resolvedRuns,
  } satisfies Partial<EnginePolicy>;
}
