export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './fetch-handler.js';
export { type NodeListener, nodeListener } from './node-listener.js';
