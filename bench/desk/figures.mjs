import {
  fitProbability,
  probabilityOf,
  verdictOf,
} from '../../packages/core/dist/pipeline/investigate/probability.js';
import { calibration, calibrationError, intervals, rates, round } from '../suspects/measure.mjs';

const STATED = [0.3, 0.5, 0.7, 0.8, 0.9, 0.95];
const METHODS = { newest: 'newest blamed line', ranking: 'ranking alone', found: 'with investigation' };

/** The figures of finished cases, printed and as an object. */
export function printInvestigations(results) {
  if (results.length === 0) return { n: 0 };
  const rows = withFolds(results.map(rowOf));
  const asked = rows.filter(({ state }) => state !== null);
  const used = asked.filter(({ facts }) => facts !== null);
  const ended = count(asked.map(({ state, reason }) => reason ?? state));
  console.log(
    `\n${rows.length} cases: ${asked.length} investigated (${ended}), ${rows.length - asked.length} whose ranking was certain`,
  );
  console.log(`${''.padEnd(44)}    n  R@1                    R@3                    R@5`);
  const all = Object.fromEntries(
    Object.entries(METHODS).map(([key, name]) => [key, printRates(name, places(rows, key), true)]),
  );
  const groups = {
    year: ({ year }) => String(year),
    language: ({ language }) => language,
    repository: ({ repository }) => repository,
  };
  for (const [title, of] of Object.entries(groups)) printGroups(title, rows, of);
  console.log('\nstated probability of the findings that passed their checks');
  printCalibration(
    used.map(({ facts, right }) => ({ p: facts.stated, right })),
    STATED,
  );
  console.log('probability from the fit, without the case’s organisation');
  printCalibration(used, STATED);
  const verdicts = {};
  for (const [name, reaches] of Object.entries({
    auto: ({ verdict }) => verdict === 'auto',
    likely: ({ verdict }) => verdict === 'likely',
    'auto or likely': ({ verdict }) => verdict !== 'recent',
  })) {
    const sure = rows.filter(reaches);
    const right = sure.filter((one) => one.right).length;
    verdicts[name] = { answers: sure.length, right, coverage: round(sure.length / rows.length) };
    console.log(
      `  ${name}: ${right} of ${sure.length} right, in ${percent(sure.length / rows.length)} of all cases`,
    );
  }
  const figures = {
    questions: spread(asked.map(({ questions }) => questions.length)),
    calls: spread(asked.map(({ calls }) => calls)),
    tokens: spread(asked.map(({ tokens }) => tokens.input + tokens.output)),
    longest: spread(asked.map(({ tokens }) => tokens.longest)),
    own_ms: spread(rows.map(({ ms }) => ms.own)),
  };
  console.log(`\n${''.padEnd(44)}  median     p90     max`);
  for (const [key, title] of Object.entries(SPREADS)) {
    const { median, p90, max } = figures[key];
    console.log(
      `${title.padEnd(44)}${[median, p90, max].map((one) => String(Math.round(one)).padStart(8)).join('')}`,
    );
  }
  return { n: rows.length, investigated: asked.length, ...all, verdicts, figures };
}

const SPREADS = {
  questions: 'questions',
  calls: 'calls to the model',
  tokens: 'tokens of all calls, as billed',
  longest: 'tokens of the longest conversation',
  own_ms: 'our own time, ms',
};

function rowOf(result) {
  const { suspects, finding, checks = [], ranking, agreement, rounds } = result;
  const place = result.place ?? Number.POSITIVE_INFINITY;
  const passed = finding && checks.length > 0 && checks.every(({ ok }) => ok);
  const [first = ''] = finding?.commits ?? [];
  const ranked = ranking.suspects.find(({ sha }) => sha.startsWith(first.toLowerCase()));
  return {
    ...result,
    right: place === 1,
    organisation: result.repository.split('/')[0],
    p: suspects[0]?.probability ?? 0,
    verdict: suspects[0]?.verdict ?? 'recent',
    facts: passed
      ? {
          stated: finding.probability,
          ranking: ranked?.probability ?? 0,
          agreement,
          questions: rounds[0]?.asked ?? 0,
        }
      : null,
    places: {
      newest: result.newest ?? Number.POSITIVE_INFINITY,
      ranking: ranking.place ?? Number.POSITIVE_INFINITY,
      found: place,
    },
  };
}

/** Each finding's probability and verdict by the fit on the findings of other organisations. */
function withFolds(rows) {
  return rows.map((one) => {
    if (one.facts === null) return one;
    const others = rows.filter(
      ({ organisation, facts }) => facts !== null && organisation !== one.organisation,
    );
    const fit = fitProbability(others.map(({ facts, right }) => ({ ...facts, right })));
    const { probability } = probabilityOf(one.facts, fit);
    return { ...one, p: probability, verdict: verdictOf(probability) };
  });
}

const places = (rows, key) => rows.map((one) => one.places[key]);

function printRates(name, found, hasIntervals) {
  const { n, r1, r3, r5 } = rates(found);
  const ci95 = intervals(found);
  const cells = Object.entries({ r1, r3, r5 }).map(([key, rate]) =>
    `${rate.toFixed(3)}${hasIntervals ? ` (${ci95[key].map((end) => end.toFixed(3)).join('–')})` : ''}`.padEnd(
      23,
    ),
  );
  console.log(`${name.padEnd(44)}${String(n).padStart(5)}  ${cells.join('')}`);
  return { n, r1, r3, r5, ci95 };
}

function printGroups(title, rows, of) {
  console.log(
    `\n${title.padEnd(28)}    n   first right: ${Object.values(METHODS).join(' / ')}, then among five`,
  );
  for (const name of [...new Set(rows.map(of))].sort()) {
    const members = rows.filter((one) => of(one) === name);
    const counts = [1, 5].map((most) =>
      Object.keys(METHODS)
        .map((key) => places(members, key).filter((place) => place <= most).length)
        .join(' / '),
    );
    console.log(
      `${name.padEnd(28)}${String(members.length).padStart(5)}   ${counts.map((one) => one.padEnd(14)).join('')}`,
    );
  }
}

function printCalibration(answers, thresholds) {
  if (answers.length === 0) return console.log('  none');
  for (const { threshold, precision, coverage, answers: reached } of calibration(answers, thresholds)) {
    const right = precision === null ? 'none' : `${percent(precision)} right`;
    console.log(`  p ≥ ${threshold}: ${right}, reached by ${percent(coverage)} (${reached})`);
  }
  console.log(`  expected calibration error: ${calibrationError(answers).toFixed(3)}`);
}

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p90: at(0.9), max: sorted.at(-1) ?? 0 };
}

const percent = (share) => `${(share * 100).toFixed(0)} %`;

function count(names) {
  return [...new Set(names)]
    .map((name) => `${name} ${names.filter((one) => one === name).length}`)
    .join(', ');
}
