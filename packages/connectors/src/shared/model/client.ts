import type { Tokens } from '@culprit/core/internal/ports/investigator';
import type { Prompt } from './prompt/render-prompt.js';

/** A function that the model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: object;
}

/** A tool that the model calls. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the model made a mistake. */
  readonly arguments: string;
}

/** What a model said: text, calls, or both. */
export interface Said {
  readonly content: string;
  readonly calls: readonly ToolCall[];
  /** The server's own message, sent back with all that its model needs of it, such as signatures of thoughts; `null`: there is none. */
  readonly message: object | null;
}

/** What a model answered. */
export interface ModelAnswer extends Said {
  /** True: the token budget ended the answer. */
  readonly cut: boolean;
  /** True: the model wrote thoughts before its answer, which use up the budget. */
  readonly thought: boolean;
  /** True: it thought, and the next question asks it in another way not to. */
  readonly otherwise: boolean;
  /** Which version of the model answered, or which other model, as the server says it; `null` if it does not. */
  readonly served: string | null;
  /** As the server counts them; `null` if it does not. */
  readonly used: Tokens | null;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | ({ readonly role: 'assistant' } & Said)
  | { readonly role: 'tool'; readonly call: ToolCall; readonly content: string };

/** A conversation in which the model has the next word. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Maximum tokens of the answer. */
  readonly tokens: number;
  /** True: the model must call a tool, if the server has a way to say so. */
  readonly forced: boolean;
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
  /** `null`: the server or its model cannot call tools. */
  converse(conversation: Conversation, signal: AbortSignal): Promise<ModelAnswer | null>;
  /** The server's models; `null` if it does not list them. */
  models(signal: AbortSignal): Promise<readonly ListedModel[] | null>;
  /** Parameters of the model in billions; `null` if the server does not say. */
  size(signal: AbortSignal): Promise<number | null>;
}
