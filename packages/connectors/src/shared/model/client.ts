import type { Prompt } from './prompt/render-prompt.js';

/** What a model answered. */
export interface ModelAnswer {
  readonly content: string;
  /** True: the token budget ended the answer. */
  readonly cut: boolean;
  /** True: the model wrote thoughts before its answer, which use up the budget. */
  readonly thought: boolean;
  /** True: it thought, and the next question asks it in another way not to. */
  readonly otherwise: boolean;
  /** Which version of the model answered, or which other model, as the server says it; `null` if it does not. */
  readonly served: string | null;
}

/** A model of the server's list. */
export interface ListedModel {
  readonly name: string;
  /** Changes with the model's weights; `null` if the server does not say. */
  readonly version: string | null;
}

/** One model on one server. Failures reject with `explainer_failed`; an aborted signal with its reason. */
export interface ModelClient {
  /** The answer has the shape of the prompt's schema if the server enforces it. `tokens`: the budget, instead of the configured one. */
  chat(prompt: Prompt, signal: AbortSignal, tokens?: number): Promise<ModelAnswer>;
  /** The server's models; `null` if it does not list them. */
  models(signal: AbortSignal): Promise<readonly ListedModel[] | null>;
}
