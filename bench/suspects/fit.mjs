/**
 * Conditional logit over the candidates and "none of these": maximises the likelihood of the culprits, with ridge on
 * standardised features and fixed signs. A case's weight is its `share` over the square root of its repository's count.
 * A case without a hit counts for "none of these", which has another weight for errors about the environment.
 */
import { NOT_FITTED } from '../../packages/core/dist/pipeline/rank/weights.js';

const RIDGE = 0.02;
const ROUNDS = 160;
const RATE = 0.05;
/** Features that can only count against a commit; the others can only count for it. */
const AGAINST = new Set(['tidy', 'bump', 'sweep', 'no_code']);

/** @returns {{ weights: number[], none: number, environment: number }} */
export function fit(cases, names, without = []) {
  const left = [...NOT_FITTED, ...without];
  const columns = names.flatMap((name, index) => (left.includes(name) ? [] : [index]));
  const signs = columns.map((index) => (AGAINST.has(names[index]) ? -1 : 1));
  const spread = spreadOf(cases, columns);
  const shares = sharesOf(cases);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const size = columns.length;
  const w = new Float64Array(size + 2);
  const first = new Float64Array(size + 2);
  const second = new Float64Array(size + 2);
  const scaled = cases.map(({ rows }) =>
    rows.map((row) => columns.map((column, j) => row[column] / spread[j])),
  );
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = new Float64Array(size + 2);
    for (const [at, one] of cases.entries()) addGradient(gradient, w, scaled[at], one, shares[at]);
    const rate = RATE * (round < ROUNDS * 0.6 ? 1 : 0.25);
    for (let j = 0; j < w.length; j++) {
      const slope = gradient[j] / total + (j === size ? 0 : 2 * RIDGE * w[j]);
      first[j] = 0.9 * first[j] + 0.1 * slope;
      second[j] = 0.99 * second[j] + 0.01 * slope * slope;
      w[j] -= (rate * (first[j] / (1 - 0.9 ** round))) / (Math.sqrt(second[j] / (1 - 0.99 ** round)) + 1e-8);
      if (j !== size && w[j] * (signs[j] ?? 1) < 0) w[j] = 0;
    }
  }
  const weights = names.map(() => 0);
  for (const [j, column] of columns.entries()) weights[column] = w[j] / spread[j];
  return { weights, none: w[size], environment: w[size + 1] };
}

function addGradient(gradient, w, rows, { hits, environment }, share) {
  const size = w.length - 2;
  const scores = rows.map((row) => row.reduce((sum, x, j) => sum + x * w[j], 0));
  scores.push(w[size] + (environment ? w[size + 1] : 0));
  const chosen = [...hits, !hits.includes(true)];
  const top = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - top));
  const all = odds.reduce((sum, x) => sum + x, 0);
  const hit = odds.reduce((sum, x, i) => sum + (chosen[i] ? x : 0), 0) + 1e-300;
  for (const [i, odd] of odds.entries()) {
    const push = share * (odd / all - (chosen[i] ? odd / hit : 0));
    if (i === rows.length) {
      gradient[size] += push;
      if (environment) gradient[size + 1] += push;
    } else for (let j = 0; j < size; j++) gradient[j] += push * rows[i][j];
  }
}

function spreadOf(cases, columns) {
  const rows = cases.flatMap((one) => one.rows);
  return columns.map((column) => {
    const mean = rows.reduce((sum, row) => sum + row[column], 0) / rows.length;
    const square = rows.reduce((sum, row) => sum + (row[column] - mean) ** 2, 0) / rows.length;
    return Math.sqrt(Math.max(square, 1e-9));
  });
}

function sharesOf(cases) {
  const counts = new Map();
  for (const { repository } of cases) counts.set(repository, (counts.get(repository) ?? 0) + 1);
  return cases.map(({ repository, share = 1 }) => share / Math.sqrt(counts.get(repository)));
}

/** @returns {{ place: number, p: number, right: boolean }} */
export function answer({ rows, hits, environment }, model) {
  const { weights } = model;
  const none = model.none + (environment ? model.environment : 0);
  const scores = rows.map((row) => row.reduce((sum, x, j) => sum + x * weights[j], 0));
  const top = Math.max(none, ...scores);
  const all = scores.reduce((sum, score) => sum + Math.exp(score - top), Math.exp(none - top));
  const order = scores.map((_, index) => index).sort((a, b) => scores[b] - scores[a] || a - b);
  const place = order.findIndex((index) => hits[index]) + 1 || Number.POSITIVE_INFINITY;
  const p = order.length === 0 ? 0 : Math.exp(scores[order[0]] - top) / all;
  return { place, p, right: place === 1 };
}

const FOLDS = 10;

/**
 * For each organisation, the weights fitted without its cases, in ten folds; `null` if no case is left. `without`: features
 * left out.
 */
export function foldModels(cases, names, without = []) {
  const counts = new Map();
  for (const { organisation } of cases) counts.set(organisation, (counts.get(organisation) ?? 0) + 1);
  const loads = new Array(FOLDS).fill(0);
  const folds = new Map();
  for (const [organisation, count] of [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) {
    const fold = loads.indexOf(Math.min(...loads));
    folds.set(organisation, fold);
    loads[fold] += count;
  }
  const models = loads.map((_, fold) => {
    const others = cases.filter(({ organisation }) => folds.get(organisation) !== fold);
    return others.length === cases.length ? null : fit(others, names, without);
  });
  return (organisation) => models[folds.get(organisation)];
}

/** Cross-validation: ranks every case by {@link foldModels}. `extra`: cases for the fit alone. */
export function crossValidate(cases, names, extra = []) {
  const modelOf = foldModels([...cases, ...extra], names);
  return cases.map((one) => answer(one, modelOf(one.organisation)));
}
