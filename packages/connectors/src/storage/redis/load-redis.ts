import { loadLibrary } from '../../shared/load-library.js';

/** Loaded only when a shared store is opened. */
export const loadRedis = () => loadLibrary('Redis storage', '@keyv/redis', () => import('@keyv/redis'));
