// How often the suspect is the culprit. Usage: npm run bench -- suspects [--quick] [--json] [--cases FILE.jsonl --repos DIR]
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CASES, readCases } from './suspects/cases.mjs';
import { benchRealPath } from './suspects/real-path.mjs';
import { benchShared } from './suspects/shared.mjs';
import { printTier } from './suspects/summary.mjs';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cases: { type: 'string' },
    repos: { type: 'string' },
    details: { type: 'string' },
  },
});
if ((flags.cases === undefined) !== (flags.repos === undefined)) {
  console.error('--cases FILE.jsonl and --repos DIR go together.');
  process.exit(2);
}
for (const given of [flags.cases, flags.repos]) {
  if (given === undefined || existsSync(given)) continue;
  console.error(`${given} is not there.`);
  process.exit(2);
}
const result = flags.cases === undefined ? shared() : await benchRealPath(flags);
for (const [tier, found] of Object.entries(result)) printTier(tier, found);
if (flags.json) console.log(JSON.stringify(result));

function shared() {
  const cases = readCases();
  if (cases !== null) {
    if (flags.quick)
      console.log('--quick: a third of the cases, for a smoke test. These figures say nothing.');
    return benchShared(cases, flags);
  }
  console.error(
    `The cases are not here: ${CASES} does not exist. They are no part of the project. Set CULPRIT_SHARED to the folder ` +
      'that holds bench/suspects/cases, or give --cases FILE.jsonl and --repos DIR.',
  );
  process.exit(2);
}
