export type {
  DoubleDeployment,
  DoubleLimits,
  DoubleMergeRequest,
  DoubleOptions,
  DoubleRepository,
  DoubleToken,
  Scope,
  Webhook,
} from './options.js';
export { type GitlabDouble, type SeenRequest, startGitlabDouble } from './server.js';
export type { NewIssue, StoredIssue, StoredNote } from './state.js';
