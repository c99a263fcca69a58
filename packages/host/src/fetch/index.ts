export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './fetch-handler.js';
export { nodeListener } from './node-listener.js';
