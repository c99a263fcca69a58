import type { Prompt } from './prompt/render-prompt.js';

/** What a model answered. */
export interface ModelAnswer {
  readonly content: string;
  /** True: the token budget ended the answer. */
  readonly cut: boolean;
  /** True: the model wrote thoughts before its answer, which use up the budget. */
  readonly thought: boolean;
}

/** One model on one server. Failures reject with `explainer_failed`; an aborted signal with its reason. */
export interface ModelClient {
  /** The answer has the shape of the prompt's schema if the server enforces it. `tokens`: the budget, instead of the configured one. */
  chat(prompt: Prompt, signal: AbortSignal, tokens?: number): Promise<ModelAnswer>;
  /** The names of the server's models; `null` if it does not list them. */
  models(signal: AbortSignal): Promise<readonly string[] | null>;
}
