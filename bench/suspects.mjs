// How often the suspect is the culprit.
// Usage: npm run bench -- suspects (--cache DIR [--mined DIR] [--ablation] [--budgets] [--histories] [--plot FILE.svg] [--model NAME [--host URL] [--read N]] | --cases FILE.jsonl --repos DIR [--quick] [--details]) [--json]
import { existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answersByBudget } from './suspects/budgets.mjs';
import { calibrationPlot } from './suspects/calibration-plot.mjs';
import { crossValidate, fit } from './suspects/fit.mjs';
import { measureHistories } from './suspects/histories.mjs';
import { calibrationError } from './suspects/measure.mjs';
import { measuredCases } from './suspects/measured.mjs';
import { benchRealPath } from './suspects/real-path.mjs';
import { measureReader } from './suspects/second-reading.mjs';
import {
  printGroups,
  printMade,
  printReader,
  printRow,
  printThresholds,
  printTier,
} from './suspects/summary.mjs';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    cache: { type: 'string' },
    mined: { type: 'string' },
    cases: { type: 'string' },
    repos: { type: 'string' },
    details: { type: 'boolean', default: false },
    ablation: { type: 'boolean', default: false },
    budgets: { type: 'boolean', default: false },
    histories: { type: 'boolean', default: false },
    plot: { type: 'string' },
    model: { type: 'string' },
    host: { type: 'string' },
    read: { type: 'string', default: '1000' },
  },
});
/** What a case counts in the fit whose place was guessed from its fix, and one that was made. */
const MINED_SHARE = 0.5;
const MADE_SHARE = 0.15;

/** Features that are left out together. */
const GROUPS = {
  'the line': ['near', 'function', 'newest_owner'],
  age: ['recency'],
  'the file': ['history', 'touches_file', 'touches_dir'],
  'the message': ['message', 'message_error', 'tidy', 'bump'],
  'words in the diff': ['error_added', 'error_removed', 'error_edited', 'source_added', 'newest'],
  'functions and mechanisms': [
    'edits_function',
    'edits_callee',
    'undefines',
    'arity',
    'missing_name',
    'nulls',
    'breaks',
  ],
  'size and kind': ['sweep', 'no_code'],
};

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
if (flags.cache === undefined) {
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
  if (flags.model !== undefined) {
    const { cache, model, host, read } = flags;
    const fitted = [...cases, ...none, ...extra];
    printReader(await measureReader({ cache, names, fitted, model, host, most: Number(read) }), model);
  }
  if (flags.ablation) {
    for (const [group, without] of Object.entries(GROUPS)) {
      const left = crossValidate([...cases, ...none], names, extra, without);
      printRow(`without ${group}`, left.slice(0, cases.length));
    }
  }
  console.log(
    `\nWeights fitted on all ${cases.length} cases, ${none.length} made and ${extra.length} mined:`,
  );
  const model = fit([...cases, ...none, ...extra], names);
  for (const [index, name] of names.entries()) console.log(`  ${name}: ${model.weights[index].toFixed(3)},`);
  for (const name of ['none', 'environment']) console.log(`  ${name}: ${model[name].toFixed(3)},`);
}
