export type { DoubleOptions, DoubleToken } from './options.js';
export { type GitlabDouble, startGitlabDouble } from './server.js';
