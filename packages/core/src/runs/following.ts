import type { ProjectConfig } from '../domain/project-config.js';
import type { Following } from '../domain/resolution.js';
import type { EnginePolicy } from '../engine-api.js';

/** How the runs and issues of a project follow each other: the project's own settings, else those of the engine. */
export function followingOf(policy: EnginePolicy, project: ProjectConfig): Following {
  return {
    resolvedRuns: project.resolvedRuns ?? policy.resolvedRuns,
    closedIssues: project.closedIssues ?? policy.closedIssues,
    regressionIssues: project.regressionIssues ?? policy.regressionIssues,
  };
}
