import type { api } from '../api.js';

/** A new token with its secret. */
export type MadeToken = Awaited<ReturnType<typeof api.makeToken>>;
