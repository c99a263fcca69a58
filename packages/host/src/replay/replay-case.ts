import type { EvidenceBundle, ProjectConfig } from '@culprit/core';
import type { Explanation } from '@culprit/core/connector';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import type { RecordedCall } from '@culprit/core/internal/domain/evidence';
import type { Accepted } from './accepted.js';
import type { CapturedRequest } from './captured.js';

/** One delivery to replay: a request, or a delivery that the edge already sanitised. */
export type ReplayItem =
  | { readonly request: CapturedRequest; readonly receivedAt: number }
  | { readonly delivery: Delivery };

interface Common {
  readonly name: string;
  /** `null`: nothing has been accepted yet. */
  readonly accepted: Accepted | null;
  /** Where `--update` writes; `null`: nowhere. */
  readonly acceptedFile: string | null;
}

/** Deliveries with everything that influences a draft. */
export interface DeliveryCase extends Common {
  readonly kind: 'deliveries';
  readonly items: readonly ReplayItem[];
  /** Milliseconds since 1970: the engine's clock. */
  readonly at: number;
  readonly project: ProjectConfig;
  /** The code host's recorded responses; `null`: none. */
  readonly answers: readonly RecordedCall[] | null;
  /** The model's answer; `null`: no model. */
  readonly explanation: Explanation | null;
  /** The scenario's folder; `null`: not a scenario. */
  readonly folder: string | null;
}

/** The evidence of an analysis, from which its draft is derived again. */
export interface EvidenceCase extends Common {
  readonly kind: 'evidence';
  readonly bundle: EvidenceBundle;
}

export type ReplayCase = DeliveryCase | EvidenceCase;

export const UNTIL = ['gate1', 'gate2', 'published'] as const;
export type Until = (typeof UNTIL)[number];

/** The result of one run. */
export interface RunResult {
  readonly run_id: string;
  readonly title: string;
  readonly state: string;
  readonly occurrences: number;
  /** `null` before Gate 1. */
  readonly digest: string | null;
  /** The accepted digest; `null`: none yet. */
  readonly expected: string | null;
  /** `same`, `different`, `new` (nothing accepted yet), `staged` (not analysed), `failed`. */
  readonly verdict: 'same' | 'different' | 'new' | 'staged' | 'failed';
  readonly detail: string | null;
}

export interface CaseResult {
  readonly name: string;
  readonly runs: readonly RunResult[];
  /** Number of deliveries by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The drafts, for `--update`. */
  readonly drafts: readonly {
    readonly title: string;
    readonly body: string;
    readonly labels: readonly string[];
  }[];
  readonly deliveries: number;
}
