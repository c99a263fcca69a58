import type { ContractCase } from './contract-case.js';
import { changeCases } from './run-store-change-cases.js';
import { familyCases } from './run-store-family-cases.js';
import { feedCases } from './run-store-feed-cases.js';
import { mergeCases } from './run-store-merge-cases.js';
import { occurrenceCases } from './run-store-occurrence-cases.js';
import { pageCases } from './run-store-page-cases.js';
import { quotaCases } from './run-store-quota-cases.js';
import { recordCases } from './run-store-record-cases.js';
import { searchCases } from './run-store-search-cases.js';
import { snoozeCases } from './run-store-snooze-cases.js';
import { trustCases } from './run-store-trust-cases.js';
import type { StorageSubject } from './storage-subject.js';

/** The rules of `RunStore`, `RunHistory`, `RunOccurrences` and `StatusFeed`, which one storage implements together. */
export const runStoreContract: readonly ContractCase<StorageSubject>[] = [
  ...recordCases,
  ...familyCases,
  ...trustCases,
  ...snoozeCases,
  ...quotaCases,
  ...occurrenceCases,
  ...changeCases,
  ...mergeCases,
  ...pageCases,
  ...searchCases,
  ...feedCases,
];
