import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Claim, EvidenceItem, Explanation } from '../../domain/explanation.js';
import type { Clock } from '../../ports/clock.js';
import type { Explainer } from '../../ports/explainer.js';
import type { AnalysisConfig } from '../analysis.js';
import { oneLine } from '../draft/visible.js';
import { replay } from '../evidence/replay.js';
import { type TextScrubber, textScrubber } from '../scrub-text.js';
import { withinTime } from '../within-time.js';
import { type RefusedClaim, refusedClaims } from './check-explanation.js';

const MOST_REFUSED = 20;
const CLAIM_CHARS = 400;
const WHY_CHARS = 240;

/**
 * `insufficient`: it says that the evidence does not support an explanation. `no_citation`: every claim was refused.
 * `explainer_failed`: it did not answer in time, or not in the requested shape.
 */
export type NoAnswerCode = 'insufficient' | 'no_citation' | 'explainer_failed';

/** What one explainer said about a run when it was asked again. All text is sanitised, on one line and bounded. */
export interface ComparedExplanation {
  /** The model's name, or `template`. */
  readonly by: string;
  /** How long it took, in tenths. */
  readonly seconds: number;
  readonly claims: readonly Claim[];
  /** The claims that were refused for want of a citation, at most 20. */
  readonly refused: readonly RefusedClaim[];
  /** Why there is no usable answer; `null` if there is one. */
  readonly failed: { readonly code: NoAnswerCode; readonly detail: string } | null;
}

/** Both explanations of one run. */
export interface ExplanationComparison {
  readonly template: ComparedExplanation;
  readonly model: ComparedExplanation;
}

export interface CompareParts {
  /** Makes explanations by rules: the fallback of the model. */
  readonly template: Explainer;
  readonly model: Explainer;
  /** Time limit of each. */
  readonly explainMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Derives the explanation of a run again from its evidence, once by rules and once by a model that is asked now. Both explain the same
 * suspects, without the reader. Rejects if the evidence cannot be replayed or the signal is aborted.
 */
export async function compareExplanations(
  bundle: EvidenceBundle,
  { template, model, ...parts }: CompareParts,
): Promise<ExplanationComparison> {
  return {
    template: await explainedBy(template, bundle, parts),
    model: await explainedBy(model, bundle, parts),
  };
}

interface Asked {
  readonly answer: Explanation;
  readonly refused: readonly RefusedClaim[];
}

async function explainedBy(
  explainer: Explainer,
  bundle: EvidenceBundle,
  { explainMs: ms, clock, signal }: Omit<CompareParts, 'template' | 'model'>,
): Promise<ComparedExplanation> {
  const scrub = textScrubber((bundle.config as unknown as AnalysisConfig).scrub);
  const seen: { asked: Asked | null; ms: number } = { asked: null, ms: 0 };
  const { name, promptVersion } = explainer;
  const kept: Explainer = {
    name,
    ...(promptVersion === undefined ? {} : { promptVersion }),
    async explain(request, until) {
      const started = performance.now();
      try {
        // The clock of a replay stands still, so its time limit never ends.
        const answer = await withinTime({ ms, clock, signal: until }, (limit) =>
          explainer.explain(request, limit),
        );
        seen.asked = { answer, refused: shownRefusals(answer, request.evidence, scrub) };
        return answer;
      } finally {
        seen.ms = performance.now() - started;
      }
    },
  };
  const { explanation } = await replay(bundle, { explainers: [kept], signal });
  const { asked } = seen;
  const by = asked === null ? (explainer.status?.().model ?? name) : nameOf(asked.answer);
  return {
    by: oneLine(by, 80),
    seconds: Math.round(seen.ms / 100) / 10,
    claims: explanation.claims,
    refused: asked?.refused ?? [],
    failed: explanation.insufficient ? { code: codeOf(asked), detail: detailOf(explanation) } : null,
  };
}

function nameOf({ source, model }: Explanation): string {
  return source === 'template' ? 'template' : (model ?? 'model');
}

function shownRefusals(
  answer: Explanation,
  evidence: readonly EvidenceItem[],
  scrub: TextScrubber,
): readonly RefusedClaim[] {
  return refusedClaims(answer, evidence, scrub)
    .slice(0, MOST_REFUSED)
    .map(({ text, why }) => ({
      text: oneLine(scrub(text), CLAIM_CHARS),
      why: oneLine(scrub(why), WHY_CHARS),
    }));
}

function codeOf(asked: Asked | null): NoAnswerCode {
  if (asked === null) return 'explainer_failed';
  return asked.answer.claims.length > 0 ? 'no_citation' : 'insufficient';
}

function detailOf({ note }: Explanation): string {
  return note ?? 'The evidence does not support an explanation.';
}
