import { VERDICT_AT } from '../../packages/core/dist/domain/verdict.js';
import { BASELINE_NAMES } from './baselines.mjs';
import { atCoverage, calibration, intervals, overChosenThreshold, rates } from './measure.mjs';

/** @param {{ place: number, p: number, right: boolean, language: string }[]} answers */
export function summarise(answers, { baselines, budgets, claimed, native = false }) {
  const places = answers.map(({ place }) => place);
  const languages = [...new Set(answers.map(({ language }) => language))].sort();
  return {
    ...rates(places),
    ci95: intervals(places),
    diff_budget: claimed,
    verdicts: Object.fromEntries(
      Object.entries(VERDICT_AT).map(([name, threshold]) => [
        name,
        native && name === 'auto' ? null : calibration(answers, [threshold])[0],
      ]),
    ),
    surest_quarter: atCoverage(answers, 0.25),
    calibration: calibration(answers),
    languages: Object.fromEntries(
      languages.map((name) => [
        name,
        rates(answers.filter((one) => one.language === name).map(({ place }) => place)),
      ]),
    ),
    baselines: Object.fromEntries(Object.entries(baselines).map(([name, found]) => [name, rates(found)])),
    budgets: Object.fromEntries(
      [...budgets].map(([budget, found]) => [budget, rates(found.map(({ place }) => place))]),
    ),
  };
}

const SURE = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
const COLUMNS = { n: 'n', r1: 'R@1', r3: 'R@3', r5: 'R@5', r12: 'R@12', r40: 'R@40', mrr: 'MRR' };
const HEAD = `${''.padEnd(46)}${Object.values(COLUMNS)
  .map((title) => title.padStart(7))
  .join('')}`;
const row = (name, found) =>
  `${name.padEnd(46)}${Object.keys(COLUMNS)
    .map((key) => (key === 'n' ? String(found.n) : found[key].toFixed(3)).padStart(7))
    .join('')}`;
const range = ([low, high]) => `${low.toFixed(3)}–${high.toFixed(3)}`;

/** The summary as text. */
export function printTier(name, result) {
  if (result.n === 0) return;
  console.log(`\n${name}`);
  console.log(HEAD);
  console.log(row(`Culprit, ${result.diff_budget} diffs`, result));
  const { r1, r3, r5, mrr } = result.ci95;
  console.log(`  95 %: R@1 ${range(r1)}, R@3 ${range(r3)}, R@5 ${range(r5)}, MRR ${range(mrr)}`);
  for (const [key, found] of Object.entries(result.baselines)) console.log(row(BASELINE_NAMES[key], found));
  for (const [budget, found] of Object.entries(result.budgets)) {
    if (Number(budget) !== result.diff_budget) console.log(row(`Culprit, ${budget} diffs`, found));
  }
  for (const [language, found] of Object.entries(result.languages)) console.log(row(`  ${language}`, found));
  const sure = ({ threshold, precision, coverage, answers }) =>
    `p ≥ ${threshold.toFixed(2)}: ${precision === null ? 'none' : `${(precision * 100).toFixed(0)} % correct`} at ${(coverage * 100).toFixed(0)} % of answers (${answers})`;
  const auto = result.verdicts.auto === null ? 'never' : sure(result.verdicts.auto);
  console.log(`  verdicts: auto ${auto}; likely ${sure(result.verdicts.likely)}`);
  console.log(`  surest quarter: ${(result.surest_quarter.precision * 100).toFixed(1)} % correct`);
  for (const line of result.calibration) console.log(`  ${sure(line)}`);
}

/** Cross-validated answers by source, language and age of the culprit, beside the newest blamed line. */
export function printGroups(answers) {
  const ageOf = ({ days }) =>
    days === null ? 'not a candidate' : days < 14 ? 'under 14 days' : days < 365 ? 'under a year' : 'older';
  const groupings = {
    all: () => 'all',
    source: (one) => one.source,
    language: (one) => one.language,
    age: ageOf,
    culprit: (one) => one.culprit,
  };
  console.log(HEAD);
  for (const [name, groupOf] of Object.entries(groupings)) {
    for (const group of [...new Set(answers.map(groupOf))].sort()) {
      const members = answers.filter((one) => groupOf(one) === group);
      console.log(row(`${name}: ${group}`, rates(members.map(({ place }) => place))));
      console.log(row('  newest blamed line', rates(members.map(({ blamed }) => blamed))));
    }
  }
  for (const { threshold, precision, coverage, answers: count } of calibration(answers, SURE)) {
    const right = precision === null ? 'none' : `${(precision * 100).toFixed(0)} % correct`;
    console.log(`  p ≥ ${threshold}: ${right}, reached by ${(coverage * 100).toFixed(0)} % (${count})`);
  }
}

/** How many answers a threshold reaches that was chosen without their organisation, and how many of them are right. */
export function printThresholds(answers) {
  for (const share of [0.95, 0.9, 0.85]) {
    const reached = overChosenThreshold(answers, share);
    const right = reached.filter((one) => one.right).length;
    const of = `${right} of ${reached.length} correct`;
    console.log(`  threshold for ${share * 100} %, chosen on the other organisations: ${of}`);
  }
}

/** How often a crash that no commit caused was given a probable culprit. */
export function printMade(answers) {
  for (const { threshold, coverage, answers: count } of calibration(answers, SURE)) {
    console.log(`  no commit to find: p ≥ ${threshold} said in ${(coverage * 100).toFixed(1)} % (${count})`);
  }
}

export function printRow(name, answers) {
  console.log(row(name, rates(answers.map(({ place }) => place))));
}
