export type { DoubleApp, DoubleOptions, DoubleRepository, DoubleToken } from './options.js';
export { type GithubDouble, startGithubDouble } from './server.js';
