import type { Explanation } from '../../domain/explanation.js';
import { CulpritError } from '../../errors/error.js';
import type { Clock } from '../../ports/clock.js';
import type { Explainer, ExplainRequest } from '../../ports/explainer.js';
import type { AnalysisParts } from '../analysis.js';
import { oneLine } from '../draft/visible.js';
import type { TextScrubber } from '../scrub-text.js';
import { checkExplanation } from './check-explanation.js';

export interface ExplainParts extends Pick<AnalysisParts, 'explainers' | 'explainMs' | 'clock' | 'signal'> {
  readonly scrub: TextScrubber;
  /** Wraps every attempt, for example to record it, within the time limit. */
  readonly wrap: (explainer: Explainer) => Explainer;
}

/** The first valid explanation, with earlier failures in its note. If every explainer fails, the explanation is `insufficient`. */
export async function explain(request: ExplainRequest, parts: ExplainParts): Promise<Explanation> {
  const failures: string[] = [];
  for (const explainer of parts.explainers) {
    try {
      const answer = await parts.wrap(bounded(explainer, parts)).explain(request, parts.signal);
      const explanation = checkExplanation(answer, request.evidence, parts.scrub);
      const notes = [...failures, ...(explanation.note === null ? [] : [explanation.note])];
      return { ...explanation, note: notes.length === 0 ? null : notes.join(' ') };
    } catch (error) {
      parts.signal.throwIfAborted();
      const why = error instanceof Error ? error.message : 'unknown error';
      failures.push(
        `The explainer ${oneLine(explainer.name, 40)} failed: ${oneLine(parts.scrub(why), 200)}.`,
      );
    }
  }
  const note = failures.length === 0 ? null : failures.join(' ');
  return { source: 'template', model: null, claims: [], insufficient: true, note };
}

/** With the time limit. */
function bounded(explainer: Explainer, { clock, explainMs: ms }: ExplainParts): Explainer {
  return {
    name: explainer.name,
    explain: (request, signal) =>
      withinTime({ ms, clock, signal }, (until) => explainer.explain(request, until)),
  };
}

interface TimeParts {
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Rejects with `explainer_failed` when the time is up, even if the work ignores its signal. */
async function withinTime<T>(
  { ms, clock, signal }: TimeParts,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = clock.sleep(ms, AbortSignal.any([signal, stop.signal])).then(() => {
    const error = new CulpritError('explainer_failed', `no response within ${Math.round(ms / 1_000)} s`);
    stop.abort(error);
    throw error;
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, stop.signal])), late]);
  } finally {
    late.catch(() => {});
    stop.abort();
  }
}
