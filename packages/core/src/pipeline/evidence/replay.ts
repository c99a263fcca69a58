import type { EvidenceBundle } from '../../domain/evidence.js';
import { analyse } from '../analyse.js';
import type { AnalysisConfig, AnalysisInput, AnalysisParts, AnalysisResult } from '../analysis.js';
import {
  frozenClock,
  investigatedIn,
  replayingCodeHost,
  replayingExplainers,
  replayingSourceMaps,
} from './replay-parts.js';

/**
 * Derives the draft again from its evidence, offline. The same version of Culprit gives the same digest; another may not.
 * `asked`: explainers that answer now, instead of the recorded answers.
 */
export function replay(
  bundle: EvidenceBundle,
  asked: Partial<Pick<AnalysisParts, 'explainers' | 'signal'>> = {},
): Promise<AnalysisResult> {
  const { analyzed_at } = bundle;
  return analyse(analysisOf(bundle), {
    codeHost: replayingCodeHost(bundle),
    explainers: replayingExplainers(bundle),
    sourceMaps: replayingSourceMaps(bundle),
    investigated: investigatedIn(bundle),
    explainMs: 60_000,
    clock: frozenClock(analyzed_at),
    signal: new AbortController().signal,
    ...asked,
  });
}

/** What the analysis worked on. */
export function analysisOf(bundle: EvidenceBundle): AnalysisInput {
  const { run_id, project, generation, cycle, incident, event, analyzed_at } = bundle;
  const config = bundle.config as unknown as AnalysisConfig;
  return { run_id, project, generation, cycle, incident, event, config, analyzedAt: analyzed_at };
}
