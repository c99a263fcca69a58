export type { Fault, HeldRequest, Hold } from '../shared/rules.js';
export type {
  DoubleApp,
  DoubleLimits,
  DoubleOptions,
  DoubleRepository,
  DoubleToken,
  Level,
  Permissions,
} from './options.js';
export { type GithubDouble, type SeenRequest, startGithubDouble } from './server.js';
export type { StoredIssue } from './state.js';
