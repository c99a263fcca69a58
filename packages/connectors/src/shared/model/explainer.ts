import { CulpritError, type Explainer, type Explanation, isCulpritError } from '@culprit/core/connector';
import { circuitBreaker } from '@culprit/core/internal/resilience/circuit-breaker';
import * as v from 'valibot';
import type { ModelClient } from './client.js';
import type { ModelLimits } from './parts.js';
import { type Prompt, renderPrompt } from './prompt/render-prompt.js';
import { PROMPT_VERSION } from './prompt/v1.js';

const MAX = { claims: 16, cites: 16, chars: 4_000 } as const;
const text = v.pipe(v.string(), v.maxLength(MAX.chars));

/** The requested answer. Accepts slightly more than requested, which core truncates; any other shape is rejected. */
const answerSchema = v.object({
  insufficient: v.boolean(),
  claims: v.pipe(
    v.array(
      v.object({
        text,
        cites: v.pipe(v.array(v.object({ evidence: text, quote: text })), v.maxLength(MAX.cites)),
      }),
    ),
    v.maxLength(MAX.claims),
  ),
});

/** Parses the model's text as an explanation; core checks its quotes. Throws `explainer_failed` if it is not an explanation. */
export function explanationOf(content: string, model: string): Explanation {
  const { insufficient, claims } = answerOf(answerSchema, content);
  const kept = insufficient ? [] : claims;
  return { source: 'model', model, claims: kept, insufficient: kept.length === 0, note: null };
}

function answerOf<T>(schema: v.GenericSchema<unknown, T>, content: string): T {
  if (content.trim() === '') throw failed('the model’s answer is empty');
  let received: unknown;
  try {
    received = JSON.parse(content);
  } catch {
    throw failed('the model’s answer is not JSON');
  }
  const parsed = v.safeParse(schema, received);
  if (!parsed.success) throw failed('the model’s answer does not match the requested schema');
  return parsed.output;
}

export function failed(what: string, cause?: unknown): CulpritError {
  return new CulpritError('explainer_failed', what, cause === undefined ? {} : { cause });
}

/** Gives `work` a signal that aborts with `explainer_failed` after the time limit. */
export async function inTime<T>(
  ms: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const timer = setTimeout(() => stop.abort(failed(`no complete answer within ${seconds} s`)), ms);
  try {
    return await work(AbortSignal.any([signal, stop.signal]));
  } finally {
    clearTimeout(timer);
  }
}

interface ExplainerParts {
  /** The connector's id. */
  readonly name: string;
  readonly client: ModelClient;
  readonly config: ModelLimits & { readonly model: string };
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** One bounded call per explanation, behind a circuit breaker, so that a dead server does not delay every analysis. */
export function modelExplainer({ name, client, config, now }: ExplainerParts): Explainer {
  const { model, timeoutMs, promptBytes, failureLimit, coolDownMs } = config;
  const breaker = circuitBreaker({ failureLimit, cooldownMs: coolDownMs, now, refuse: circuitOpen });

  const ask = <T>(prompt: () => Prompt, read: (content: string) => T, signal: AbortSignal): Promise<T> => {
    const attempt = () =>
      inTime(timeoutMs, signal, async (limit) => {
        const { content, cut, thought } = await client.chat(prompt(), limit);
        if (cut)
          throw failed(
            thought
              ? 'the model’s thoughts used up the tokens of its answer'
              : 'the answer exceeded its token budget',
          );
        return read(content);
      });
    return breaker.run(attempt, isServersFault);
  };
  return {
    name,
    promptVersion: PROMPT_VERSION,
    explain: (request, signal) =>
      ask(
        () => renderPrompt(request, promptBytes),
        (content) => explanationOf(content, model),
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
