import type { Json } from './workspace.js';

/** Slack's form of an error, with status 200. */
export const refused = (error: string, more: Json = {}): Json => ({ ok: false, error, ...more });
