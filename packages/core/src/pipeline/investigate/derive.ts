import type { EvidenceBundle } from '../../domain/evidence.js';
import type { Investigated } from '../../domain/investigation.js';
import type { CodeHost } from '../../ports/code-host.js';
import { analyse } from '../analyse.js';
import type { AnalysisParts, AnalysisResult } from '../analysis.js';
import type { AnalysedCodeHost } from '../evidence/recorder.js';
import { analysisOf } from '../evidence/replay.js';
import { replayingCodeHost, replayingSourceMaps } from '../evidence/replay-parts.js';

type DeriveParts = Pick<AnalysisParts, 'codeHost' | 'explainers' | 'explainMs' | 'clock' | 'signal'>;

/**
 * Derives suspects, explanation and draft again from recorded evidence: with a finding, or (`null`) by the ranking alone. The code host
 * is asked only for commits and diffs that the evidence lacks; the explainers are asked again. Rejects like `analyse`.
 */
export function derive(
  bundle: EvidenceBundle,
  investigated: Investigated | null,
  { codeHost, ...parts }: DeriveParts,
): Promise<AnalysisResult> {
  return analyse(analysisOf(bundle), {
    ...parts,
    codeHost: recordedFirst(replayingCodeHost(bundle), codeHost),
    sourceMaps: replayingSourceMaps(bundle),
    investigated,
  });
}

function recordedFirst(recorded: AnalysedCodeHost | null, live: CodeHost | null): AnalysedCodeHost | null {
  if (recorded === null || live === null) return recorded;
  return {
    ...recorded,
    commits: (...asked) => recorded.commits(...asked).catch(() => live.commits(...asked)),
    diff: (...asked) => recorded.diff(...asked).catch(() => live.diff(...asked)),
  };
}
