import { VERDICT_AT } from '@culprit/core/internal/domain/verdict';
import type { ModelFit } from '@culprit/core/internal/pipeline/investigate/model-fit';
import {
  fitProbability,
  type JudgedFinding,
  MIN_FITTED,
  probabilityOf,
} from '@culprit/core/internal/pipeline/investigate/probability';
import type { InvestigatedCase } from './investigated-case.js';
import { type Share, shareOf } from './summary.js';

interface Found {
  readonly first: Share;
  readonly firstFive: Share;
}

/** What the investigations of a model came to. */
export interface Measured {
  readonly model: string;
  /** By the ranking alone, on the same cases. */
  readonly ranking: Found;
  readonly investigated: Found;
  /** Median of the cases. */
  readonly questions: number;
  readonly tokens: number;
  /** Of all cases; `null`: no price is set. */
  readonly cost: number | null;
  /** That passed their checks. */
  readonly findings: number;
  /** Findings that are missing for a fit. */
  readonly missing: number;
  readonly fit: ModelFit | null;
  readonly cases: readonly InvestigatedCase[];
}

/** Where the groups of the reliability picture begin. */
const GROUPS = [0, 0.3, 0.5, VERDICT_AT.likely, VERDICT_AT.auto] as const;

/** `at`: now, ISO 8601. */
export function measure(model: string, cases: readonly InvestigatedCase[], at: string): Measured {
  const findings = cases
    .toSorted((a, b) => Date.parse(a.committed_at) - Date.parse(b.committed_at))
    .flatMap(({ finding }) => finding ?? []);
  const costs = cases.flatMap(({ cost }) => cost ?? []);
  return {
    model,
    ranking: foundAt(cases.map(({ ranking }) => ranking)),
    investigated: foundAt(cases.map(({ place }) => place)),
    questions: median(cases.map(({ questions }) => questions)),
    tokens: median(cases.map(({ tokens }) => tokens)),
    cost: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0),
    findings: findings.length,
    missing: Math.max(0, MIN_FITTED - findings.length),
    fit: fitOf(model, findings, at),
    cases,
  };
}

/** `findings`: the oldest first. Each half is measured with the fit of the other, because a fit looks better on its own findings. */
function fitOf(model: string, findings: readonly JudgedFinding[], at: string): ModelFit | null {
  const fit = fitProbability(findings);
  if (fit === null) return null;
  const middle = Math.floor(findings.length / 2);
  const [older, newer] = [findings.slice(0, middle), findings.slice(middle)];
  const rated = [...ratedBy(older, newer), ...ratedBy(newer, older)];
  const reliability = GROUPS.flatMap((from, index) => {
    const to = GROUPS[index + 1] ?? 1;
    const group = rated.filter(({ p }) => p >= from && (p < to || to === 1));
    if (group.length === 0) return [];
    const probability = group.reduce((sum, { p }) => sum + p, 0) / group.length;
    return [{ from, to, probability, right: group.filter(({ right }) => right).length, of: group.length }];
  });
  return { model, ...fit, measured_at: at, reliability };
}

function ratedBy(fitted: readonly JudgedFinding[], measured: readonly JudgedFinding[]) {
  const fit = fitProbability(fitted, 1);
  return measured.map((one) => ({ p: probabilityOf(one, fit).probability, right: one.right }));
}

function foundAt(places: readonly (number | null)[]): Found {
  const first = places.filter((place) => place === 1).length;
  const firstFive = places.filter((place) => place !== null && place <= 5).length;
  return { first: shareOf(first, places.length), firstFive: shareOf(firstFive, places.length) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
