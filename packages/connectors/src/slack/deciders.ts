import type { Logger, Reviewer, Run } from '@culprit/core';
import type { InteractionsConfig } from './config.js';
import { outsideSpan } from './text.js';

/** Who pressed a button, and in which projects they decide. */
export interface Decider {
  readonly reviewer: Reviewer;
  /** Why they may not decide about the run (mrkdwn), or `null`. */
  refusal(run: Pick<Run, 'run_id' | 'project'>): string | null;
}

/** The decider of a Slack user id; `null`: not a reviewer. */
export function decidersOf(
  reviewers: InteractionsConfig['reviewers'],
  logger: Logger,
): (user: string) => Decider | null {
  const known = new Map(Object.entries(reviewers));
  return (user) => {
    const entry = known.get(user);
    if (entry === undefined) return null;
    const { name, projects } = typeof entry === 'string' ? { name: entry, projects: null } : entry;
    return {
      reviewer: { name, via: 'chat' },
      refusal({ run_id, project }) {
        if (projects === null || projects.includes(project)) return null;
        logger.info(
          { run_id, project },
          'a decision in Slack was refused: the reviewer is of other projects',
        );
        return otherProject(user, name, projects, project);
      },
    };
  };
}

function otherProject(user: string, name: string, projects: readonly string[], project: string): string {
  const own = outsideSpan(projects.join(', '), 200);
  const entry = outsideSpan(`${user}:${name}=${project}`, 200);
  return `You decide in ${own} only, and this run is of ${outsideSpan(project, 90)}. Nothing was decided. Ask the operator to add ${entry} to SLACK_REVIEWERS.`;
}
