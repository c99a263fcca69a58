export { DoubleClock } from './clock.js';
export { Faults, takesEffect } from './faults.js';
export { type HeldRequest, Holds } from './holds.js';
export { closeServer, listen, originOf } from './loopback.js';
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
export { readBody } from './read-body.js';
export { type GithubDouble, type SeenRequest, startGithubDouble } from './server.js';
export { type ControlRequest, type SharedParts, sharedControl } from './shared-control.js';
export type { StoredIssue } from './state.js';
export { serveUntilStopped } from './until-stopped.js';
