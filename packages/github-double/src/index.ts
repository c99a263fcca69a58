export { DoubleClock } from './clock.js';
export { Faults, takesEffect } from './faults.js';
export { type HeldRequest, Holds } from './holds.js';
export type {
  DoubleApp,
  DoubleLimits,
  DoubleOptions,
  DoubleRepository,
  DoubleToken,
  Fault,
  Hold,
  Level,
  Permissions,
} from './options.js';
export { type GithubDouble, type SeenRequest, startGithubDouble } from './server.js';
export type { StoredIssue } from './state.js';
