import type { Draft } from './draft.js';
import type { Event } from './event.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Run } from './run.js';

/** One response of the code host, the explainer or the source maps, as it was used. `reader`: only in evidence of 0.2. */
export interface RecordedCall {
  readonly port: 'code_host' | 'explainer' | 'reader' | 'source_maps';
  readonly method: string;
  readonly request: JsonValue;
  /** Exactly one of `answer` and `error` is set. */
  readonly answer: JsonValue | null;
  readonly error: { readonly code: string; readonly detail: string; readonly retryable: boolean } | null;
}

/** Everything an analysis read, enough to derive its draft again offline. Frozen as `culprit.evidence/1`. */
export interface EvidenceBundle {
  readonly format: 'culprit.evidence/1';
  readonly run_id: string;
  readonly project: string;
  readonly generation: number;
  readonly cycle: number;
  /** ISO 8601: the analysis read no other clock. */
  readonly analyzed_at: string;
  /** Versions of every part that affects the draft: `culprit`, `fingerprint`, `ranking`, `draft`, `prompt`. */
  readonly versions: Readonly<Record<string, string>>;
  /** The part of the project's configuration that affects the draft; no secrets. */
  readonly config: JsonObject;
  /** The run's counters when the analysis started. */
  readonly incident: Pick<
    Run,
    | 'title'
    | 'fingerprint'
    | 'level'
    | 'platform'
    | 'occurrences'
    | 'first_seen'
    | 'last_seen'
    | 'releases'
    | 'environments'
    | 'doors'
    | 'regression_of'
    | 'sources'
    | 'first_crash_at'
  >;
  readonly event: Event;
  readonly calls: readonly RecordedCall[];
  /** The machine's draft. */
  readonly draft: Draft;
}
