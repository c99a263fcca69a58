// How often the suspect is the culprit.
// Usage: npm run bench -- suspects (--cache DIR [--diffs N] | --cases FILE.jsonl --repos DIR [--quick] [--details]) [--json]
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { crossValidate, fit } from './suspects/fit.mjs';
import { measuredCases } from './suspects/measured.mjs';
import { benchRealPath } from './suspects/real-path.mjs';
import { printGroups, printTier } from './suspects/summary.mjs';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cache: { type: 'string' },
    cases: { type: 'string' },
    repos: { type: 'string' },
    diffs: { type: 'string' },
    details: { type: 'boolean', default: false },
  },
});
const given = [flags.cache, flags.cases, flags.repos].filter((path) => path !== undefined);
const missing = given.find((path) => !existsSync(path));
if (given.length === 0 || (flags.cases === undefined) !== (flags.repos === undefined) || missing) {
  console.error(
    missing
      ? `${missing} does not exist.`
      : 'Pass the cases: --cases FILE.jsonl --repos DIR, or --cache DIR as written by bench/suspects/derive.mjs.',
  );
  process.exit(2);
}
if (flags.cache === undefined) {
  const result = await benchRealPath(flags);
  for (const [tier, found] of Object.entries(result)) printTier(tier, found);
  if (flags.json) console.log(JSON.stringify(result));
} else {
  const { names, cases } = await measuredCases(
    flags.cache,
    flags.diffs === undefined ? undefined : Number(flags.diffs),
  );
  const answers = crossValidate(cases, names).map((one, index) => ({ ...cases[index], ...one }));
  printGroups(answers);
  const { weights, none } = fit(cases, names);
  console.log('\nWeights fitted on all cases:');
  for (const [index, name] of names.entries()) console.log(`  ${name}: ${weights[index].toFixed(3)},`);
  console.log(`  none: ${none.toFixed(3)},`);
}
