import { type Explainer, isCulpritError } from '@culprit/core';
import { circuitBreaker } from '@culprit/core/resilience';
import type { OllamaClient } from './client.js';
import type { OllamaConfig } from './config.js';
import { explanationOf, failed } from './map.js';
import { renderPrompt } from './prompt/render-prompt.js';
import { PROMPT_VERSION } from './prompt/v1.js';

export interface ExplainerParts {
  readonly client: OllamaClient;
  readonly config: OllamaConfig;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** One bounded call for each explanation; behind a breaker, so that a dead server is not waited for every time. */
export function ollamaExplainer({ client, config, now }: ExplainerParts): Explainer {
  const { model, timeoutMs, promptBytes, failureLimit, coolDownMs } = config;
  const breaker = circuitBreaker({ failureLimit, cooldownMs: coolDownMs, now, refuse: circuitOpen });

  return {
    name: 'ollama',
    promptVersion: PROMPT_VERSION,
    explain: (request, signal) => {
      const attempt = async () => {
        const stop = new AbortController();
        const seconds = Math.max(1, Math.round(timeoutMs / 1_000));
        const timer = setTimeout(() => stop.abort(failed(`no whole answer within ${seconds} s`)), timeoutMs);
        try {
          const prompt = renderPrompt(request, promptBytes);
          const { content, cut } = await client.chat(prompt, AbortSignal.any([signal, stop.signal]));
          if (cut) throw failed('the answer was longer than its budget of tokens');
          return explanationOf(content, model);
        } finally {
          clearTimeout(timer);
        }
      };
      return breaker.run(attempt, isServersFault);
    },
  };
}

function circuitOpen(retryInMs: number): Error {
  const seconds = Math.max(1, Math.ceil(retryInMs / 1_000));
  return failed(`it failed several times in a row; the next attempt is in ${seconds} s`);
}

/** Not where the engine itself stopped for another reason, such as its own end. */
function isServersFault(error: unknown): boolean {
  return isCulpritError(error, 'explainer_failed');
}
