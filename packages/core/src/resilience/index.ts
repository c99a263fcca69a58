export { batchesOf, inBatches } from './batches.js';
export { type BoundedMap, boundedMap, type WeightLimit } from './bounded-map.js';
export { type CircuitBreaker, type CircuitBreakerOptions, circuitBreaker } from './circuit-breaker.js';
export { keyedMutex, mutex } from './mutex.js';
export { type OnceOptions, once } from './once.js';
export {
  parseRetryAfterMs,
  type RetryDelayOptions,
  type RetrySchedule,
  retryDelayMs,
} from './retry-delay.js';
export { type Semaphore, semaphore } from './semaphore.js';
export { timeLimit, untilAborted } from './time-limit.js';
