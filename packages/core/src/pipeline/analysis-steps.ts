import type { JsonObject } from '../domain/json.js';
import { isCulpritError } from '../errors/error.js';
import type { AnalysisParts, AnalysisStep } from './analysis.js';

export type StepRunner = <T>(
  name: string,
  work: () => Promise<T> | T,
  detail: (result: T) => JsonObject,
) => Promise<T>;

/** Runs and times the steps of one analysis, and reports each, failed ones included. */
export function stepRunner({ clock, onStep }: Pick<AnalysisParts, 'clock' | 'onStep'>): StepRunner {
  const report = (step: AnalysisStep) => onStep?.(step);
  return async (name, work, detail) => {
    const started = clock.now();
    try {
      const result = await work();
      report({ name, ms: clock.now() - started, detail: detail(result), error: null });
      return result;
    } catch (error) {
      const known = isCulpritError(error)
        ? { code: error.code, detail: error.message, retryable: error.retryable }
        : { code: 'internal', detail: 'The step failed. See the log for details.', retryable: false };
      report({ name, ms: clock.now() - started, detail: {}, error: known });
      throw error;
    }
  };
}
