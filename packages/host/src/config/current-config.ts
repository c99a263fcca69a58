import type { Config } from './config.js';
import { readConfig } from './read-config.js';

/** What this folder and this environment ask for, without flags; nothing is made or written. */
export function currentConfig(cwd: string): Config {
  return readConfig({ flags: {}, env: process.env, cwd }).config;
}
