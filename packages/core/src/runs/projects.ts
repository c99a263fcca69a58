import type { ProjectConfig } from '../domain/project-config.js';
import type { Following } from '../domain/resolution.js';
import type { EnginePolicy } from '../engine-api.js';

/** The configured projects of one engine. */
export class Projects {
  private readonly known: ReadonlyMap<string, ProjectConfig>;

  constructor(
    readonly all: Readonly<Record<string, ProjectConfig>>,
    private readonly policy: EnginePolicy,
  ) {
    this.known = new Map(Object.entries(all));
  }

  of(name: string): ProjectConfig {
    return this.known.get(name) ?? {};
  }

  /** How the runs and issues of a project follow each other: its own settings, else those of the engine. */
  following(name: string): Following {
    const project = this.of(name);
    return {
      resolvedRuns: project.resolvedRuns ?? this.policy.resolvedRuns,
      closedIssues: project.closedIssues ?? this.policy.closedIssues,
      regressionIssues: project.regressionIssues ?? this.policy.regressionIssues,
    };
  }
}
