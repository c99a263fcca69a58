// Refuses to push a tag of a version that its package.json does not state. git's hook pre-push gives the refs on standard input.
import { readFileSync } from 'node:fs';
import { tagFault } from './lib/release.mjs';

const faults = readFileSync(0, 'utf8')
  .split('\n')
  .map((line) => line.split(' '))
  .flatMap(([ref = '', commit = '']) => tagFault(process.cwd(), ref, commit) ?? []);
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);
