// For the tests of connectors: contract suites, and parts to run an engine with.

export { makeEvent } from './builders.js';
export { type CodeHostSubject, codeHostContract } from './code-host-contract.js';
export type { ContractCase } from './contract-case.js';
export { type ExplainerSubject, explainerContract } from './explainer-contract.js';
export {
  type InvestigatorSubject,
  investigatorContract,
  type ModelConduct,
  SAMPLE_FINDING,
} from './investigator-contract.js';
export { type KeyValueSubject, keyValueContract } from './key-value-contract.js';
export type { KnownHistory, SampleCommit } from './known-history.js';
export { makeRun } from './make-run.js';
export { manualClock } from './manual-clock.js';
export { memoryPublisher } from './memory-publisher.js';
export { memoryStorageConnector } from './memory-storage.js';
export {
  type FailingNotifierSubject,
  failingNotifierContract,
  type NotifierSubject,
  type NotifyFailure,
  notifierContract,
} from './notifier-contract.js';
export {
  type FailingPublisherSubject,
  failingPublisherContract,
  type PublisherSubject,
  type PublishFailure,
  publisherContract,
} from './publisher-contract.js';
export { sampleHistory } from './sample-history.js';
export { type NamedDelivery, type TrackerSubject, trackerContract } from './tracker-contract.js';
