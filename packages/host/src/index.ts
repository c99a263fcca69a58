export { type CoreParts, composeCore } from './compose/core-parts.js';
export { composeTrackers } from './compose/edge-trackers.js';
export type { Config } from './config/config.js';
export type { WithSecrets } from './config/generated-secrets.js';
export { type LoadOptions, loadConfig } from './config/load-config.js';
export { type EdgeOptions, startEdge } from './edge/server.js';
export { createLogger, type LoggerOptions } from './log/create-logger.js';
export { type CoreOptions, type CoreServer, startCore } from './server/server.js';
