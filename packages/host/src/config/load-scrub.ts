import { readConfig } from './read-config.js';
import type { ScrubConfig } from './read-ingest.js';

/** What the sanitiser is told by environment and file. Makes nothing and writes nothing. */
export function loadScrub(file: string | undefined): ScrubConfig {
  const sources = { flags: { config: file }, env: process.env, cwd: process.cwd() };
  return readConfig(sources).config.ingest.scrub;
}
