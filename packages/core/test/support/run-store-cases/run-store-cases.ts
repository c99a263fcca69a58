import type { ContractCase } from '../../../src/testing/contract-case.js';
import { changeCases } from './change-cases.js';
import { familyCases } from './family-cases.js';
import { feedCases } from './feed-cases.js';
import { mergeCases } from './merge-cases.js';
import { occurrenceCases } from './occurrence-cases.js';
import { pageCases } from './page-cases.js';
import { quotaCases } from './quota-cases.js';
import { recordCases } from './record-cases.js';
import { searchCases } from './search-cases.js';
import { snoozeCases } from './snooze-cases.js';
import type { StorageSubject } from './storage-subject.js';
import { trustCases } from './trust-cases.js';

/** The rules of `RunStore`, `RunHistory`, `RunOccurrences` and `StatusFeed`, which one storage implements together. */
export const runStoreCases: readonly ContractCase<StorageSubject>[] = [
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
