export type { Webhook } from '../shared/options.js';
export type { SeenRequest } from '../shared/server.js';
export type { DoubleOptions, DoubleRepository, DoubleToken, Scope } from './options.js';
export { type ForgejoDouble, startForgejoDouble } from './server.js';
export type { StoredComment, StoredIssue } from './state.js';
