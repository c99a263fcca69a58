// How often the suspect is the culprit.
// Usage: npm run bench -- suspects (--cache DIR [--mined DIR] [--budgets] [--histories] [--plot FILE.svg] | --cases FILE.jsonl --repos DIR [--quick] [--details | --investigate --desk DIR [--at-once N] [--transcripts FILE.jsonl.gz]]) [--json]
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answersByBudget } from './suspects/budgets.mjs';
import { calibrationPlot } from './suspects/calibration-plot.mjs';
import { crossValidate, fit } from './suspects/fit.mjs';
import { measureHistories } from './suspects/histories.mjs';
import { calibrationError } from './suspects/measure.mjs';
import { measuredCases } from './suspects/measured.mjs';
import { benchRealPath } from './suspects/real-path.mjs';
import { printGroups, printMade, printRow, printThresholds, printTier } from './suspects/summary.mjs';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cache: { type: 'string' },
    mined: { type: 'string' },
    cases: { type: 'string' },
    repos: { type: 'string' },
    details: { type: 'boolean', default: false },
    budgets: { type: 'boolean', default: false },
    histories: { type: 'boolean', default: false },
    plot: { type: 'string' },
    investigate: { type: 'boolean', default: false },
    desk: { type: 'string' },
    'at-once': { type: 'string' },
    transcripts: { type: 'string' },
  },
});
/** What a case counts in the fit whose place was guessed from its fix, and one that was made. */
const MINED_SHARE = 0.5;
const MADE_SHARE = 0.15;

const given = [flags.cache, flags.mined, flags.cases, flags.repos].filter((path) => path !== undefined);
const missing = given.find((path) => !existsSync(path));
if (given.length === 0 || (flags.cases === undefined) !== (flags.repos === undefined) || missing) {
  console.error(
    missing
      ? `${missing} does not exist.`
      : 'Pass the cases: --cases FILE.jsonl --repos DIR, or --cache DIR as written by bench/suspects/derive.mjs.',
  );
  process.exit(2);
}
if (flags.investigate && (flags.desk === undefined || flags.cases === undefined)) {
  console.error('Pass --desk DIR, where the requests to the model are written, with --cases and --repos.');
  process.exit(2);
}
if (flags.investigate) {
  // Loaded only now: it needs the engine.
  const { benchInvestigations } = await import('./desk/investigate.mjs');
  const result = await benchInvestigations(flags);
  if (flags.json) console.log(JSON.stringify(result));
} else if (flags.cache === undefined) {
  const result = await benchRealPath(flags);
  for (const [tier, found] of Object.entries(result)) printTier(tier, found);
  if (flags.json) console.log(JSON.stringify(result));
} else {
  const { names, cases, made } = await measuredCases(flags.cache);
  const mined = flags.mined === undefined ? [] : (await measuredCases(flags.mined)).cases;
  const extra = mined.map((one) => ({ ...one, share: MINED_SHARE }));
  const none = made.map((one) => ({ ...one, share: MADE_SHARE }));
  const answers = crossValidate([...cases, ...none], names, extra);
  printGroups(cases.map((one, index) => ({ ...one, ...answers[index] })));
  printMade(answers.slice(cases.length));
  const real = answers.slice(0, cases.length);
  console.log(`  expected calibration error: ${calibrationError(real).toFixed(3)}`);
  printThresholds(cases.map((one, index) => ({ ...one, ...real[index] })));
  if (flags.plot !== undefined) writeFileSync(flags.plot, calibrationPlot(real));
  if (flags.budgets) {
    const parts = { cache: flags.cache, names, cases, none, extra, share: MADE_SHARE };
    for (const [budget, found] of await answersByBudget(parts)) printRow(`${budget} diffs`, found);
  }
  if (flags.histories) await measureHistories(flags.cache, extra, MADE_SHARE);
  console.log(
    `\nWeights fitted on all ${cases.length} cases, ${none.length} made and ${extra.length} mined:`,
  );
  const model = fit([...cases, ...none, ...extra], names);
  for (const [index, name] of names.entries()) console.log(`  ${name}: ${model.weights[index].toFixed(3)},`);
  for (const name of ['none', 'environment']) console.log(`  ${name}: ${model[name].toFixed(3)},`);
}
