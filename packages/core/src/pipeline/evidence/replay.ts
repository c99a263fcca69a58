import type { EvidenceBundle } from '../../domain/evidence.js';
import { analyse } from '../analyse.js';
import type { AnalysisConfig, AnalysisParts, AnalysisResult } from '../analysis.js';
import { frozenClock, replayingCodeHost, replayingExplainers, replayingSourceMaps } from './replay-parts.js';

/**
 * Derives the draft again from its evidence, offline. The same version of Culprit gives the same digest; another may not.
 * `asked`: explainers that answer now, instead of the recorded answers.
 */
export function replay(
  bundle: EvidenceBundle,
  asked: Partial<Pick<AnalysisParts, 'explainers' | 'signal'>> = {},
): Promise<AnalysisResult> {
  const { run_id, project, generation, cycle, incident, event, analyzed_at } = bundle;
  const config = bundle.config as unknown as AnalysisConfig;
  return analyse(
    { run_id, project, generation, cycle, incident, event, config, analyzedAt: analyzed_at },
    {
      codeHost: replayingCodeHost(bundle),
      explainers: replayingExplainers(bundle),
      sourceMaps: replayingSourceMaps(bundle),
      explainMs: 60_000,
      clock: frozenClock(analyzed_at),
      signal: new AbortController().signal,
      ...asked,
    },
  );
}
