export type {
  Commit,
  Committed,
  KeyValue,
  Operation,
  Range,
  Sharing,
  Versions,
} from './key-value.js';
export { memoryKeyValue } from './memory-key-value.js';
export { DEFAULT_RETENTION, type Keeping, type Retention } from './retention.js';
export { type Driver, type StorageOptions, storageParts, storageSettings } from './storage-parts.js';
