import type { EvidenceBundle } from '../domain/evidence.js';
import type { Run } from '../domain/run.js';
import { lastOf, sourcesOf, trustMix } from '../domain/source.js';
import type { AnalysisInput } from '../pipeline/analyse.js';
import type { Earlier } from '../pipeline/earlier-issue.js';
import { learnedKey } from '../pipeline/evidence-key.js';
import { readLearned, trusted } from '../pipeline/locate/learned-mappings.js';
import { titleOf } from '../pipeline/normalise/index.js';
import type { ReleaseBook } from '../pipeline/releases/release-book.js';
import { releaseFacts } from '../pipeline/releases/release-window.js';
import type { CodeHost } from '../ports/code-host.js';
import type { RunHistory } from '../ports/run-history.js';
import type { EngineServices } from '../runs/services.js';
import { codeHostOf } from '../runs/system-of.js';

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

/**
 * What an analysis knows of the run. Older versions believed the clocks of untrusted senders: a run that they counted was
 * first seen when it was staged, at the earliest.
 */
async function incidentOf(run: Run, runHistory: RunHistory): Promise<EvidenceBundle['incident']> {
  const incident = countersOf(run);
  if (run.first_crash_at !== undefined || trustMix(run).kind === 'trusted') return incident;
  const [staged] = await runHistory.history(run.run_id);
  if (staged === undefined) return incident;
  const { at } = staged;
  return { ...incident, first_seen: at, last_seen: lastOf(incident.last_seen, at), first_crash_at: at };
}

function countersOf(run: Run): EvidenceBundle['incident'] {
  const { event, fingerprint, level, platform, occurrences, first_seen, last_seen } = run;
  const { releases, environments, doors, regression_of, first_crash_at } = run;
  return {
    // Of the crash that the draft describes; the run keeps the title of its first one.
    title: titleOf(event),
    fingerprint,
    level,
    platform,
    occurrences,
    first_seen,
    last_seen,
    releases,
    environments,
    doors,
    regression_of,
    sources: sourcesOf(run),
    ...(first_crash_at === undefined ? {} : { first_crash_at }),
  };
}
