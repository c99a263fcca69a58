import type { EvidenceItem, Explanation } from '../domain/explanation.js';
import type { ModelStatus } from '../domain/model-status.js';
import type { Port } from '../domain/port.js';
import type { Suspect } from '../domain/suspect.js';

/** The input of an explanation. All text is untrusted and already sanitised. */
export interface ExplainRequest {
  readonly title: string;
  readonly platform: string;
  readonly occurrences: number;
  readonly suspects: readonly Suspect[];
  readonly evidence: readonly EvidenceItem[];
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
/** In the order in which they are asked. */
export const Explainers = Symbol('Explainers') as Port<readonly Explainer[]>;
