import { type Run, type RunSummary, summarise } from '../domain/run.js';
import type { AnalysisStep } from '../pipeline/analysis.js';

/** The finished steps of an analysis that is running in this process, first step first. */
export interface AnalysisProgress {
  readonly run: RunSummary;
  readonly steps: readonly AnalysisStep[];
}

/** Follows the analyses of this process while they run. Nothing is stored: the history has the steps once the analysis ends. */
export interface ProgressFeed {
  /** Every running analysis with a finished step. */
  all(): readonly AnalysisProgress[];
  /** Calls the listener, which must not throw, after every step. Returns a function that stops it. */
  watch(listener: (progress: AnalysisProgress) => void): () => void;
}

/** Collects the steps that `GateOne` reports. */
export class Progress implements ProgressFeed {
  private readonly running = new Map<string, AnalysisProgress>();
  private readonly listeners = new Set<(progress: AnalysisProgress) => void>();

  all(): readonly AnalysisProgress[] {
    return [...this.running.values()];
  }

  watch(listener: (progress: AnalysisProgress) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  report(run: Run, step: AnalysisStep): void {
    const { steps = [] } = this.running.get(run.run_id) ?? {};
    const progress = { run: summarise(run), steps: [...steps, step] };
    this.running.set(run.run_id, progress);
    for (const listener of this.listeners) listener(progress);
  }

  end(runId: string): void {
    this.running.delete(runId);
  }
}
