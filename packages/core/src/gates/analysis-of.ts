import { inject, injectable } from '../di/inject.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { Run } from '../domain/run.js';
import { lastOf, sourcesOf, trustMix } from '../domain/source.js';
import { EnginePolicy } from '../engine-api.js';
import type { AnalysisInput } from '../pipeline/analyse.js';
import type { Earlier } from '../pipeline/earlier-issue.js';
import { learnedKey } from '../pipeline/evidence-key.js';
import { readLearned, trusted } from '../pipeline/locate/learned-mappings.js';
import { titleOf } from '../pipeline/normalise/index.js';
import { ReleaseBook } from '../pipeline/releases/release-book.js';
import { releaseFacts } from '../pipeline/releases/release-window.js';
import { Sanitiser } from '../pipeline/sanitise/index.js';
import { Clock } from '../ports/clock.js';
import { CodeHost } from '../ports/code-host.js';
import { RunHistory } from '../ports/run-history.js';
import { Values } from '../ports/values.js';
import { Projects } from '../runs/projects.js';
import { codeHostOf } from '../runs/system-of.js';

export interface RunAnalysis {
  readonly input: AnalysisInput;
  readonly codeHost: CodeHost | null;
}

/** What analyses of runs work on. */
@injectable()
export class AnalysisInputs {
  constructor(
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Values) private readonly values: Values,
    @inject(CodeHost) private readonly codeHost: CodeHost | null,
    @inject(Clock) private readonly clock: Clock,
    @inject(EnginePolicy) private readonly policy: EnginePolicy,
    @inject(Sanitiser) private readonly sanitiser: Sanitiser,
    @inject(Projects) private readonly projects: Projects,
    @inject(ReleaseBook) private readonly releases: ReleaseBook,
  ) {}

  /** If the analysis starts now. */
  async of(
    run: Run,
    { earlierIssue, reopens }: Pick<Earlier, 'earlierIssue' | 'reopens'>,
  ): Promise<RunAnalysis> {
    const config = this.projects.of(run.project);
    const codeHost = this.codeHost && codeHostOf(this.codeHost, config.repository ?? run.project);
    const learned = trusted(readLearned(await this.values.get(learnedKey(run.project))));
    const scrub = this.sanitiser.options;
    const incident = await this.incidentOf(run);
    const released = await releaseFacts(run, incident, this.releases);
    const input: AnalysisInput = {
      run_id: run.run_id,
      project: run.project,
      generation: run.generation,
      cycle: run.cycle,
      incident,
      event: run.event,
      analyzedAt: new Date(this.clock.now()).toISOString(),
      config: {
        repository: config.repository ?? null,
        publishRepository: config.publishRepository ?? config.repository ?? run.project,
        mappings: config.mappings ?? [],
        ...(learned.length === 0 ? {} : { learned }),
        labels: config.labels ?? [],
        assignees: config.assignees ?? [],
        ...(config.assign === undefined || config.assign === 'none' ? {} : { assign: config.assign }),
        commitLabels: config.commitLabels ?? false,
        diffBudget: Math.min(this.policy.diffBudget, codeHost?.diffsAtMost ?? Number.MAX_SAFE_INTEGER),
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
  private async incidentOf(run: Run): Promise<EvidenceBundle['incident']> {
    const incident = countersOf(run);
    if (run.first_crash_at !== undefined || trustMix(run).kind === 'trusted') return incident;
    const [staged] = await this.runHistory.history(run.run_id);
    if (staged === undefined) return incident;
    const { at } = staged;
    return { ...incident, first_seen: at, last_seen: lastOf(incident.last_seen, at), first_crash_at: at };
  }
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
