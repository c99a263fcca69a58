import type { EvidenceItem, Explanation } from '../domain/explanation.js';
import type { Suspect } from '../domain/suspect.js';

/** The input of an explanation. All text is untrusted and already sanitised. */
export interface ExplainRequest {
  readonly title: string;
  readonly platform: string;
  readonly occurrences: number;
  readonly suspects: readonly Suspect[];
  readonly evidence: readonly EvidenceItem[];
}

/** Asks which of these commits caused the crash. All text is untrusted and already sanitised. */
export interface ReadingRequest {
  /** The error, and the first lines of the stack with their source. */
  readonly crash: string;
  /** In an order that does not depend on their rank. `text`: title, message, and excerpts of the diff. */
  readonly commits: readonly { readonly id: string; readonly text: string }[];
}

/** The reader's answer. Core deletes choices whose quote is not in the commit's excerpts. */
export interface Reading {
  readonly model: string;
  /** The version of the prompt. */
  readonly prompt: string;
  /**
   * At most three commits, most likely first; empty if the diffs do not show the cause. `quote` is copied verbatim from one
   * line that the commit added or removed.
   */
  readonly choices: readonly { readonly commit: string; readonly quote: string }[];
}

/** What a model is asked to keep to. Explanations work without, less well. */
export type ModelLimit = 'schema' | 'thoughts' | 'length';

/** What is known about the model of an explainer. */
export interface ModelStatus {
  /** The explainer's name. */
  readonly explainer: string;
  /** As it is configured. */
  readonly model: string;
  /** Which version of it answers, as its server says; `null`: unknown. */
  readonly version: string | null;
  /**
   * `not_probed`: nobody has asked; `probing`: no result yet; `unreachable`: its server does not answer, and is asked again;
   * `unusable`: it gives no usable answer.
   */
  readonly state: 'not_probed' | 'probing' | 'unreachable' | 'unusable' | 'usable';
  /** Part of a sentence: why it is unreachable or unusable. May contain the model's words. `null` in other states. */
  readonly reason: string | null;
  /** When it answered a probe the last time, ISO 8601; `null`: never. */
  readonly probed_at: string | null;
  /** What the probe found; empty before. */
  readonly limits: readonly {
    readonly name: ModelLimit;
    /** `null`: the probe could not find out. */
    readonly holds: boolean | null;
    /** Part of a sentence: what that means for explanations. */
    readonly detail: string;
  }[];
}

/**
 * Explains in a few claims what probably happened. One bounded call, no loop, no tools. Every claim must cite evidence ids
 * with verbatim quotes of at most 80 characters; `insufficient` is a valid result. Rejects with `explainer_failed` if it
 * cannot explain; the engine then tries the next explainer.
 */
export interface Explainer {
  readonly name: string;
  /** The version of its prompt, if it has one; stored in the evidence. */
  readonly promptVersion?: string;
  explain(request: ExplainRequest, signal: AbortSignal): Promise<Explanation>;
  /**
   * The reader: a second opinion on the first suspects, at most one call per analysis. Absent: the ranking is not changed.
   * Rejects with `explainer_failed` if it cannot answer.
   */
  read?(request: ReadingRequest, signal: AbortSignal): Promise<Reading>;
  /** What is known about its model, without asking it. Absent: it has none, or does not know. */
  status?(): ModelStatus;
}
