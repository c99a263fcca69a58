import * as v from 'valibot';
import type { Doc } from '../../domain/schema.js';
import { VERDICT_AT, type Verdict } from '../../domain/verdict.js';

/** What is known about a finding that passed its checks. Probabilities are 0 to 1. */
export interface FindingFacts {
  /** By the investigator, of its first commit. */
  readonly stated: number;
  /** By the ranking, of the same commit; 0 if it is not among its suspects. */
  readonly ranking: number;
  /** Whether a second round named the same commit; `null`: there was none. */
  readonly agreement: boolean | null;
  readonly questions: number;
}

/** A finding of which it is known whether it was right. */
export interface JudgedFinding extends FindingFacts {
  readonly right: boolean;
}

export const fitSchema = v.object({
  /** Of the features, in the order of `featuresOf`. */
  weights: v.pipe(v.array(v.number()), v.length(6)),
  /** Number of findings that it was fitted on. */
  cases: v.number(),
});
/** How an investigator's findings become probabilities: measured on findings of the same model. */
export interface Fit extends Doc<typeof fitSchema> {}

/** Fewer findings fit nothing. */
export const MIN_FITTED = 30;
/**
 * For a model that nobody has measured: half of the slope that was fitted at the desk (docs/accuracy.md), and never above
 * `MAX_UNMEASURED`.
 */
const SHRUNK: Fit = { weights: [-0.2, 0.5, 0.15, 0.3, -0.8, -0.1], cases: 0 };
const MAX_UNMEASURED = 0.8;
const TYPICAL_QUESTIONS = 7;
/** Probabilities are kept from 0 and 1 by this much before the logit. */
const EDGE = 0.02;

/** The probability that the first commit is the cause. `measured`: false without a fit. */
export function probabilityOf(
  facts: FindingFacts,
  fit: Fit | null,
): { readonly probability: number; readonly measured: boolean } {
  const { weights } = fit ?? SHRUNK;
  // Few questions are a good sign only of a model that was measured.
  const questions = fit === null ? Math.max(facts.questions, TYPICAL_QUESTIONS) : facts.questions;
  const probability = logistic(
    featuresOf({ ...facts, questions }).reduce((sum, x, index) => sum + x * (weights[index] ?? 0), 0),
  );
  return fit === null
    ? { probability: Math.min(MAX_UNMEASURED, probability), measured: false }
    : { probability, measured: true };
}

export function verdictOf(probability: number): Verdict {
  if (probability >= VERDICT_AT.auto) return 'auto';
  return probability >= VERDICT_AT.likely ? 'likely' : 'recent';
}

/**
 * A second round is worth its tokens only where it could move a finding over the threshold of `likely`. At the desk it never named a
 * better commit: docs/accuracy.md.
 */
export function paysToRepeat(probability: number): boolean {
  return probability >= 0.5 && probability < VERDICT_AT.likely + 0.05;
}

function featuresOf({ stated, ranking, agreement, questions }: FindingFacts): readonly number[] {
  return [
    1,
    logit(stated),
    logit(ranking),
    agreement === true ? 1 : 0,
    agreement === false ? 1 : 0,
    Math.log1p(questions) - Math.log1p(TYPICAL_QUESTIONS),
  ];
}

const STEPS = 60;
/** Towards the shrunk weights, so that few findings move little. */
const RIDGE = 4;

/**
 * Logistic regression by Newton's method, pulled towards the weights of an unmeasured model; `null`: too few findings. `fewest`: of a
 * part of the findings, which measures how well the fit of all of them holds.
 */
export function fitProbability(findings: readonly JudgedFinding[], fewest = MIN_FITTED): Fit | null {
  if (findings.length < fewest) return null;
  const rows = findings.map((one) => ({ x: featuresOf(one), y: one.right ? 1 : 0 }));
  let weights: readonly number[] = SHRUNK.weights;
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight, index) => -RIDGE * (weight - (SHRUNK.weights[index] ?? 0)));
    const curvature = weights.map((_, row) =>
      weights.map((__, column): number => (row === column ? RIDGE : 0)),
    );
    for (const { x, y } of rows) {
      const p = logistic(x.reduce((sum, one, index) => sum + one * (weights[index] ?? 0), 0));
      x.forEach((one, row) => {
        gradient[row] = (gradient[row] ?? 0) + (y - p) * one;
        const line = curvature[row] ?? [];
        x.forEach((other, column) => {
          line[column] = (line[column] ?? 0) + p * (1 - p) * one * other;
        });
      });
    }
    const move = solve(curvature, gradient);
    weights = weights.map((weight, index) => weight + (move[index] ?? 0));
    if (move.every((one) => Math.abs(one) < 1e-9)) break;
  }
  return { weights: [...weights], cases: findings.length };
}

/** Gaussian elimination; the matrix is positive definite, because of the ridge. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  const size = rows.length;
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let pivot = 0; pivot < size; pivot++) {
    for (let row = 0; row < size; row++) {
      if (row === pivot) continue;
      const factor = at(row, pivot) / at(pivot, pivot);
      rows[row] = (rows[row] ?? []).map((one, column) => one - factor * at(pivot, column));
    }
  }
  return rows.map((row, index) => (row[size] ?? 0) / at(index, index));
}

function logistic(z: number): number {
  return 1 / (1 + Math.exp(-z));
}

function logit(share: number): number {
  const kept = Math.min(1 - EDGE, Math.max(EDGE, share));
  return Math.log(kept / (1 - kept));
}
