export type { DoubleOptions, DoubleRepository, DoubleToken, Scope, Webhook } from './options.js';
export { type ForgejoDouble, type SeenRequest, startForgejoDouble } from './server.js';
export type { StoredComment, StoredIssue } from './state.js';
