export type { DoubleOptions, DoubleToken } from './options.js';
export { type ForgejoDouble, startForgejoDouble } from './server.js';
