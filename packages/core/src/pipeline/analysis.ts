import type { CodeMapping } from '../domain/code-mapping.js';
import type { Draft, ReopenTarget } from '../domain/draft.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { Explanation } from '../domain/explanation.js';
import type { EarlierIssue } from '../domain/fix.js';
import type { Investigated } from '../domain/investigation.js';
import type { JsonObject } from '../domain/json.js';
import type { AssignRule, Ownership } from '../domain/ownership.js';
import type { ReleaseWindow, RunRelease } from '../domain/release.js';
import type { Revision } from '../domain/run.js';
import type { NoSuspect, Suspect } from '../domain/suspect.js';
import { isCulpritError } from '../errors/error.js';
import type { Clock } from '../ports/clock.js';
import type { CodeHost } from '../ports/code-host.js';
import type { Explainer } from '../ports/explainer.js';
import type { SourceMaps } from '../ports/source-maps.js';
import { runError } from '../runs/run-error.js';
import type { LearnedMapping } from './locate/learned-mappings.js';
import type { SanitiserOptions } from './sanitise/index.js';

/** The part of a project's configuration that affects a draft. Stored in the evidence. */
export interface AnalysisConfig {
  readonly repository: string | null;
  readonly publishRepository: string;
  readonly mappings: readonly CodeMapping[];
  /** Trusted mappings learned from earlier crashes of the project; tried after `mappings`. */
  readonly learned?: readonly CodeMapping[];
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** Who is proposed besides them. Absent: nobody. */
  readonly assign?: AssignRule;
  readonly commitLabels: boolean;
  readonly diffBudget: number;
  /** The installation's own scrub rules. Absent: only the built-in rules. */
  readonly scrub?: SanitiserOptions;
  /** The issue of the run that this one is a regression of. */
  readonly earlierIssue?: EarlierIssue | null;
  /** The draft becomes a comment that reopens this issue. Absent: a new issue. */
  readonly reopens?: ReopenTarget;
  /** The commit recorded for the crash's release, if the crash names none itself. */
  readonly releaseCommit?: string;
  /** The release that crashed first. */
  readonly releaseWindow?: ReleaseWindow;
}

export interface AnalysisInput
  extends Pick<EvidenceBundle, 'run_id' | 'project' | 'generation' | 'cycle' | 'incident' | 'event'> {
  readonly config: AnalysisConfig;
  /** ISO 8601; the analysis reads no other clock. */
  readonly analyzedAt: string;
}

/** One finished step of an analysis, failed ones included. */
export interface AnalysisStep {
  /** `source_maps`, `tree`, `locate`, `blame`, `rank`, `owners`, `explain`, `compose`. */
  readonly name: string;
  readonly ms: number;
  readonly detail: JsonObject;
  readonly error: { readonly code: string; readonly detail: string; readonly retryable: boolean } | null;
}

export interface AnalysisParts {
  readonly codeHost: CodeHost | null;
  /** Uploaded source maps. Absent or `null`: there are none. */
  readonly sourceMaps?: SourceMaps | null;
  /** Tried in order until one succeeds. */
  readonly explainers: readonly Explainer[];
  /** Time limit of each explainer. */
  readonly explainMs: number;
  /** Of an investigation of this crash. Absent or `null`: the ranking alone finds the suspects. */
  readonly investigated?: Investigated | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStep?: (step: AnalysisStep) => void;
}

export interface AnalysisResult {
  readonly revision: Revision | null;
  readonly suspects: readonly Suspect[];
  readonly no_suspect: NoSuspect | null;
  /** `null` if nobody knows. */
  readonly ownership: Ownership | null;
  readonly release_window: RunRelease | null;
  readonly explanation: Explanation;
  readonly draft: Draft;
  readonly evidence: EvidenceBundle;
  /** Path mappings learned from this crash. */
  readonly learned: readonly LearnedMapping[];
}

export type StepRunner = <T>(
  name: string,
  work: () => Promise<T> | T,
  detail: (result: T) => JsonObject,
) => Promise<T>;

/** Runs and times the steps of one analysis, and reports each, failed ones included. */
export function stepRunner({ clock, onStep }: Pick<AnalysisParts, 'clock' | 'onStep'>): StepRunner {
  const report = (step: AnalysisStep) => onStep?.(step);
  return async (name, work, detail) => {
    const started = clock.now();
    try {
      const result = await work();
      report({ name, ms: clock.now() - started, detail: detail(result), error: null });
      return result;
    } catch (error) {
      const known = isCulpritError(error)
        ? runError(error)
        : { code: 'internal', detail: 'The step failed. See the log for details.', retryable: false };
      report({ name, ms: clock.now() - started, detail: {}, error: known });
      throw error;
    }
  };
}
