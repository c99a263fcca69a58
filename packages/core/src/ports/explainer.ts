import type { EvidenceItem, Explanation } from '../domain/explanation.js';
import type { Suspect } from '../domain/suspect.js';

/** What an explanation is made from. All text is untrusted and already sanitised. */
export interface ExplainRequest {
  readonly title: string;
  readonly platform: string;
  readonly occurrences: number;
  readonly suspects: readonly Suspect[];
  readonly evidence: readonly EvidenceItem[];
}

/**
 * Says in a few claims what probably happened. Law: one bounded effort, no loop, no tools; every claim cites evidence
 * ids with a verbatim quote of at most 80 characters; "insufficient" is a proper answer; rejects with
 * `explainer_failed` when it cannot answer, and the engine goes on to the next explainer.
 */
export interface Explainer {
  readonly name: string;
  /** The version of its prompt, where it has one; kept with the evidence. */
  readonly promptVersion?: string;
  explain(request: ExplainRequest, signal: AbortSignal): Promise<Explanation>;
}
