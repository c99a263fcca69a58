export { batchesOf, inBatches } from './batches.js';
export { type BoundedMap, boundedMap } from './bounded-map.js';
export { circuitBreaker } from './circuit-breaker.js';
export { keyedMutex, mutex } from './mutex.js';
export { once } from './once.js';
export { parseRetryAfterMs, retryDelayMs } from './retry-delay.js';
export { type Semaphore, semaphore } from './semaphore.js';
export { timeLimit, untilAborted } from './time-limit.js';
