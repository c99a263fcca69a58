import { randomOf } from '../faults/lib/random.mjs';

const DRAWS = 2_000;

/** @param {number[]} places 1-based place of the first culprit in each answer, Infinity where it is in none */
export function rates(places) {
  const share = (most) => places.filter((place) => place <= most).length / places.length;
  return {
    n: places.length,
    r1: round(share(1)),
    r3: round(share(3)),
    r5: round(share(5)),
    r12: round(share(12)),
    r40: round(share(40)),
    mrr: round(places.reduce((sum, place) => sum + 1 / place, 0) / places.length),
  };
}

/** 95 % percentile bootstrap over cases, always the same draws. */
export function intervals(places) {
  const random = randomOf(20_261_121);
  const draws = Array.from({ length: DRAWS }, () =>
    rates(places.map(() => places[Math.floor(random() * places.length)])),
  );
  const of = (key) => {
    const sorted = draws.map((draw) => draw[key]).sort((a, b) => a - b);
    return [sorted[Math.floor(DRAWS * 0.025)], sorted[Math.ceil(DRAWS * 0.975) - 1]];
  };
  return { r1: of('r1'), r3: of('r3'), r5: of('r5'), mrr: of('mrr') };
}

/** How often the first suspect is right among answers with at least this probability. @param {{ p: number, right: boolean }[]} answers */
export function calibration(answers, thresholds = [0.5, 0.6, 0.7, 0.75, 0.8, 0.82, 0.85, 0.88, 0.9]) {
  return thresholds.map((threshold) => {
    const sure = answers.filter(({ p }) => p >= threshold);
    const right = sure.filter((one) => one.right).length;
    return {
      threshold,
      coverage: round(sure.length / answers.length),
      precision: sure.length === 0 ? null : round(right / sure.length),
      answers: sure.length,
    };
  });
}

const BINS = 10;

/** Expected calibration error: mean distance of probability and share right, over ten bins of equal width, by answers. */
export function calibrationError(answers) {
  const bins = Array.from({ length: BINS }, () => []);
  for (const one of answers) bins[Math.min(BINS - 1, Math.floor(one.p * BINS))].push(one);
  const error = bins.reduce(
    (sum, bin) => sum + Math.abs(bin.reduce((gap, { p, right }) => gap + p - right, 0)),
    0,
  );
  return round(error / answers.length);
}

/** Fewer answers than this do not decide a threshold. */
const FEWEST = 15;

/**
 * Answers that reach the lowest threshold at which this share of the other organisations' answers is right.
 * @param {{ p: number, right: boolean, organisation: string }[]} answers
 */
export function overChosenThreshold(answers, share) {
  const organisations = [...new Set(answers.map(({ organisation }) => organisation))];
  return organisations.flatMap((organisation) => {
    const threshold = lowestThreshold(
      answers.filter((one) => one.organisation !== organisation),
      share,
    );
    return answers.filter((one) => one.organisation === organisation && one.p >= threshold);
  });
}

function lowestThreshold(answers, share) {
  let threshold = Number.POSITIVE_INFINITY;
  let right = 0;
  for (const [index, one] of [...answers].sort((a, b) => b.p - a.p).entries()) {
    if (one.right) right++;
    if (index + 1 >= FEWEST && right / (index + 1) >= share) threshold = one.p;
  }
  return threshold;
}

/** Answers in groups of equal size by probability: its mean, the share right, and its 95 % Wilson interval. */
export function reliability(answers, groups = 10) {
  const sorted = [...answers].sort((a, b) => a.p - b.p);
  return Array.from({ length: groups }, (_, index) => {
    const from = Math.round((index * sorted.length) / groups);
    const group = sorted.slice(from, Math.round(((index + 1) * sorted.length) / groups));
    const right = group.filter((one) => one.right).length;
    const p = group.reduce((sum, one) => sum + one.p, 0) / group.length;
    return { n: group.length, p, right: right / group.length, interval: wilson(right, group.length) };
  });
}

function wilson(right, n, z = 1.96) {
  const share = right / n;
  const middle = share + z ** 2 / (2 * n);
  const half = z * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2));
  return [middle - half, middle + half].map((end) => end / (1 + z ** 2 / n));
}

/** Precision among the quarter with the highest probability. */
export function atCoverage(answers, coverage) {
  const surest = [...answers].sort((a, b) => b.p - a.p).slice(0, Math.ceil(answers.length * coverage));
  return { coverage, precision: round(surest.filter(({ right }) => right).length / surest.length) };
}

export const placeOf = (shas, culprits) => {
  const at = shas.findIndex((sha) => culprits.has(sha));
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
};

export const round = (value) => Math.round(value * 1_000) / 1_000;
