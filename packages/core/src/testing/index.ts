export type { Storage } from '../store/open-store.js';
export {
  makeBatch,
  makeDelivery,
  makeEvent,
  makeFingerprint,
  makeFrame,
  makeItem,
  makeOccurrence,
} from './builders.js';
export { type CodeHostSubject, codeHostContract } from './code-host-contract.js';
export type { ContractCase } from './contract-case.js';
export {
  type ExplainerSubject,
  explainerContract,
  makeExplainRequest,
} from './explainer-contract.js';
export { type KeyValueSubject, keyValueContract } from './key-value-contract.js';
export type { KnownHistory, SampleCommit } from './known-history.js';
export { makeDraft, makeOwnership, makeRun, makeSuspect } from './make-run.js';
export { type ManualClock, manualClock } from './manual-clock.js';
export {
  type MemoryCodeHost,
  type MemoryCodeHostOptions,
  memoryCodeHost,
  type ScriptedCommit,
} from './memory-code-host.js';
export { type MemoryPublisher, type MemoryPublisherOptions, memoryPublisher } from './memory-publisher.js';
export {
  type MemoryStorageOptions,
  memoryStorage,
  memoryStorageConnector,
  memoryValues,
} from './memory-storage.js';
export {
  type FailingNotifierSubject,
  failingNotifierContract,
  hostileRun,
  hostileStory,
  NOTIFY_FAILURES,
  type NotifierSubject,
  type NotifyFailure,
  notifierContract,
} from './notifier-contract.js';
export {
  type FailingPublisherSubject,
  failingPublisherContract,
  markedBody,
  PUBLISH_FAILURES,
  type PublisherSubject,
  type PublishFailure,
  publisherContract,
} from './publisher-contract.js';
export { sampleHistory } from './sample-history.js';
export { sequentialIds } from './sequential-ids.js';
export { type NamedDelivery, type TrackerSubject, trackerContract } from './tracker-contract.js';
