import { type Explainer, isCulpritError } from '@culprit/core';
import { circuitBreaker } from '@culprit/core/resilience';
import { explanationOf, failed, readingOf } from './answer.js';
import type { ModelClient } from './client.js';
import type { ModelLimits } from './limits.js';
import { type Prompt, renderPrompt } from './prompt/render-prompt.js';
import { renderReading } from './prompt/render-reading.js';
import { PROMPT_VERSION } from './prompt/v1.js';

export interface ExplainerParts {
  /** The connector's id. */
  readonly name: string;
  readonly client: ModelClient;
  readonly config: ModelLimits & { readonly model: string };
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * One bounded call per explanation and, with `reader`, one per reading, behind one circuit breaker, so that a dead server does
 * not delay every analysis.
 */
export function modelExplainer({ name, client, config, now }: ExplainerParts): Explainer {
  const { model, timeoutMs, promptBytes, failureLimit, coolDownMs } = config;
  const breaker = circuitBreaker({ failureLimit, cooldownMs: coolDownMs, now, refuse: circuitOpen });

  const ask = <T>(prompt: () => Prompt, read: (content: string) => T, signal: AbortSignal): Promise<T> => {
    const attempt = async () => {
      const stop = new AbortController();
      const seconds = Math.max(1, Math.round(timeoutMs / 1_000));
      const timer = setTimeout(() => stop.abort(failed(`no complete answer within ${seconds} s`)), timeoutMs);
      try {
        const { content, cut, thought } = await client.chat(prompt(), AbortSignal.any([signal, stop.signal]));
        if (cut)
          throw failed(
            thought
              ? 'the model’s thoughts used up the tokens of its answer'
              : 'the answer exceeded its token budget',
          );
        return read(content);
      } finally {
        clearTimeout(timer);
      }
    };
    return breaker.run(attempt, isServersFault);
  };
  const explainer: Explainer = {
    name,
    promptVersion: PROMPT_VERSION,
    explain: (request, signal) =>
      ask(
        () => renderPrompt(request, promptBytes),
        (content) => explanationOf(content, model),
        signal,
      ),
  };
  if (!config.reader) return explainer;
  return {
    ...explainer,
    read: (request, signal) =>
      ask(
        () => renderReading(request, promptBytes),
        (content) => readingOf(content, model),
        signal,
      ),
  };
}

function circuitOpen(retryInMs: number): Error {
  const seconds = Math.max(1, Math.ceil(retryInMs / 1_000));
  return failed(`it failed several times in a row; the next attempt is in ${seconds} s`);
}

/** Excludes aborts by the engine, such as its own shutdown. */
function isServersFault(error: unknown): boolean {
  return isCulpritError(error, 'explainer_failed');
}
