export type { Webhook } from '../shared/options.js';
export type { SeenRequest } from '../shared/server.js';
export type {
  DoubleDeployment,
  DoubleLimits,
  DoubleMergeRequest,
  DoubleOptions,
  DoubleRepository,
  DoubleToken,
  Scope,
} from './options.js';
export { type GitlabDouble, startGitlabDouble } from './server.js';
export type { NewIssue, StoredIssue, StoredNote } from './state.js';
