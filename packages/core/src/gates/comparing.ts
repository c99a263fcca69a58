import type { CompareOptions } from '../engine-api.js';
import { CulpritError } from '../errors/error.js';
import { compareExplanations, type ExplanationComparison } from '../pipeline/explain/compare-explanations.js';
import type { ModelStatus } from '../ports/explainer.js';
import type { EngineServices } from '../runs/services.js';
import type { Reader } from './reader.js';

/** When to come back while the model answers another comparison. */
const BUSY_RETRY_MS = 5_000;

/** The ports and services that Comparing uses. */
export interface ComparingParts extends Pick<EngineServices, 'explainers' | 'policy' | 'clock' | 'tasks'> {
  readonly reader: Reader;
}

/** Asks the model about runs that were analysed before, one at a time. Changes nothing. */
export class Comparing {
  private isBusy = false;

  constructor(private readonly parts: ComparingParts) {}

  model(): ModelStatus | null {
    return this.parts.explainers.find(({ status }) => status !== undefined)?.status?.() ?? null;
  }

  async compare(
    runId: string,
    { signal: asker, admit }: CompareOptions = {},
  ): Promise<ExplanationComparison> {
    const { reader, explainers, policy, clock, tasks } = this.parts;
    await reader.run(runId);
    const [model] = explainers;
    const template = explainers.at(-1);
    if (model === undefined || template === undefined || model === template)
      throw new CulpritError(
        'no_model',
        'No model is configured. Set OLLAMA_MODEL, or OPENAI_MODEL and OPENAI_BASE_URL, and start core again.',
      );
    const bundle = await reader.evidence(runId);
    if (this.isBusy)
      throw new CulpritError('model_busy', 'The model answers another comparison. Try again in a moment.', {
        retryAfterMs: BUSY_RETRY_MS,
      });
    admit?.();
    this.isBusy = true;
    const signal = asker === undefined ? tasks.signal : AbortSignal.any([asker, tasks.signal]);
    try {
      const { explainMs } = policy;
      return await compareExplanations(bundle, { template, model, explainMs, clock, signal });
    } finally {
      this.isBusy = false;
    }
  }
}
