import { readFileSync } from 'node:fs';
import { print } from '../log/terminal.js';
import type { CommandUsage, ReadFlags } from './read-flags.js';

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export const usage: CommandUsage = { forms: ['version [--json]'], flags: {} };

export async function run(flags: ReadFlags): Promise<number> {
  const known = { version: packageVersion(), node: process.versions.node };
  const text = `culprit ${known.version} (Node ${known.node})`;
  print(`${flags.has('json') ? JSON.stringify(known) : text}\n`);
  return 0;
}
