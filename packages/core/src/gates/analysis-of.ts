import type { Run } from '../domain/run.js';
import type { AnalysisInput } from '../pipeline/analyse.js';
import type { Earlier } from '../pipeline/earlier-issue.js';
import { learnedKey } from '../pipeline/evidence-key.js';
import { readLearned, trusted } from '../pipeline/locate/learned-mappings.js';
import type { ReleaseBook } from '../pipeline/releases/release-book.js';
import { releaseFacts } from '../pipeline/releases/release-window.js';
import type { CodeHost } from '../ports/code-host.js';
import type { EngineServices } from '../runs/services.js';
import { codeHostOf } from '../runs/system-of.js';
import { incidentOf } from './incident.js';

export type AnalysisOfParts = Pick<
  EngineServices,
  'runHistory' | 'values' | 'codeHost' | 'clock' | 'policy' | 'projects' | 'sanitiser'
> & { readonly releases: Pick<ReleaseBook, 'find' | 'versions' | 'commits'> };

export interface RunAnalysis {
  readonly input: AnalysisInput;
  readonly codeHost: CodeHost | null;
}

/** What an analysis of a run works on, if it starts now. */
export async function analysisOf(
  run: Run,
  { earlierIssue, reopens }: Pick<Earlier, 'earlierIssue' | 'reopens'>,
  parts: AnalysisOfParts,
): Promise<RunAnalysis> {
  const config = parts.projects(run.project);
  const codeHost = parts.codeHost && codeHostOf(parts.codeHost, config.repository ?? run.project);
  const learned = trusted(readLearned(await parts.values.get(learnedKey(run.project))));
  const scrub = parts.sanitiser.options;
  const incident = await incidentOf(run, parts.runHistory);
  const released = await releaseFacts(run, incident, parts.releases);
  const input: AnalysisInput = {
    run_id: run.run_id,
    project: run.project,
    generation: run.generation,
    cycle: run.cycle,
    incident,
    event: run.event,
    analyzedAt: new Date(parts.clock.now()).toISOString(),
    config: {
      repository: config.repository ?? null,
      publishRepository: config.publishRepository ?? config.repository ?? run.project,
      mappings: config.mappings ?? [],
      ...(learned.length === 0 ? {} : { learned }),
      labels: config.labels ?? [],
      assignees: config.assignees ?? [],
      ...(config.assign === undefined || config.assign === 'none' ? {} : { assign: config.assign }),
      commitLabels: config.commitLabels ?? false,
      diffBudget: Math.min(parts.policy.diffBudget, codeHost?.diffsAtMost ?? Number.MAX_SAFE_INTEGER),
      ...(Object.keys(scrub).length === 0 ? {} : { scrub }),
      ...(earlierIssue === null ? {} : { earlierIssue }),
      ...(reopens === null ? {} : { reopens }),
      ...released,
    },
  };
  return { input, codeHost };
}
