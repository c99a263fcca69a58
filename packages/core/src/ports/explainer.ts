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
  /** What is known about its model, without asking it. Absent: it has none, or does not know. */
  status?(): ModelStatus;
}
