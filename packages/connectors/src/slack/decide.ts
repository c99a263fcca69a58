import type { Engine, Reviewer } from '@culprit/core';
import { isCulpritError, type Logger, type Run } from '@culprit/core/connector';
import type { Shown } from './button.js';
import type { InteractionsConfig } from './config.js';
import type { Rejection } from './reject-form.js';
import { escaped, linkTarget, outsideSpan } from './text.js';

/** Approves what the button showed. Resolves with the reply to the person (mrkdwn). */
export async function approve(engine: Engine, shown: Shown, decider: Decider): Promise<string> {
  const { reviewer } = decider;
  return orWhyNot(async () => {
    const why = impossible(await engine.run(shown.run), shown, decider);
    if (why !== null) return why;
    if (shown.gate === 1) {
      await engine.approveGateOne(shown.run, reviewer);
      const by = await decidedBy(engine, shown.run, 'gate1.approve');
      return `${whose(by, reviewer, 'Gate 1')} The draft waits for Gate 2.`;
    }
    const result = await engine.approveGateTwo(shown.run, reviewer, { digest: shown.digest ?? undefined });
    const by = await decidedBy(engine, shown.run, 'gate2.approve');
    if (result.status === 'publishing') {
      return `${whose(by, reviewer, 'Gate 2')} The code host’s rate limit is exceeded. The issue is created as soon as it allows.`;
    }
    const target = linkTarget(result.issue_url);
    return `${whose(by, reviewer, 'Gate 2')} Published${target === null ? '' : `: <${target}|the issue>`}.`;
  });
}

/** Rejects what the button showed. Resolves with the reply to the person (mrkdwn). */
export async function reject(engine: Engine, rejection: Rejection, decider: Decider): Promise<string> {
  const { shown, reason, to } = rejection;
  const { reviewer } = decider;
  return orWhyNot(async () => {
    const why = impossible(await engine.run(shown.run), shown, decider);
    if (why !== null) return why;
    if (shown.gate === 1) {
      await engine.rejectGateOne(shown.run, reviewer, { reason });
      return 'Rejected at Gate 1.';
    }
    const { state } = await engine.rejectGateTwo(shown.run, reviewer, { reason, to });
    return state === 'rejected' ? 'Rejected at Gate 2.' : 'Sent back to Gate 1.';
  });
}

/** Why a decision is impossible, or `null` if a reason can be asked for. */
export async function whyNot(engine: Engine, shown: Shown, decider: Decider): Promise<string | null> {
  let none = false;
  const why = await orWhyNot(async () => {
    const found = impossible(await engine.run(shown.run), shown, decider);
    none = found === null;
    return found ?? '';
  });
  return none ? null : why;
}

/** A person who may not decide about the run learns that first; the run's state is for those who may. */
function impossible(run: Run, shown: Shown, decider: Decider): string | null {
  return decider.refusal(run) ?? outdated(run, shown);
}

/**
 * Why what was shown is outdated, or `null`. The digest is checked here for a helpful reply; the engine compares it again in the
 * write itself.
 */
function outdated(run: Run, shown: Shown): string | null {
  if (run.cycle !== shown.cycle) {
    return 'This button is outdated: the run has returned to Gate 1. Nothing was decided. Read the message again.';
  }
  const now = run.publication?.digest ?? run.draft?.digest ?? null;
  if (shown.gate === 2 && now !== null && now !== shown.digest) return draftChanged(shown, now);
  return null;
}

function draftChanged({ digest }: Shown, now: string): string {
  const short = (text: string | null) => `\`${(text ?? '').slice(0, 12)}\``;
  return `This button is outdated: it showed the draft ${short(digest)}, but the draft is now ${short(now)}. Nothing was decided. Read it again.`;
}

async function orWhyNot(decide: () => Promise<string>): Promise<string> {
  try {
    return await decide();
  } catch (error) {
    if (!isCulpritError(error)) throw error;
    return `Nothing was decided. ${outsideSpan(error.message, 400)}`;
  }
}

/** The last reviewer who passed the gate. */
async function decidedBy(engine: Engine, runId: string, name: string): Promise<string | null> {
  const history = await engine.history(runId);
  return history.filter((entry) => entry.name === name).at(-1)?.by ?? null;
}

function whose(by: string | null, reviewer: Reviewer, gate: string): string {
  if (by === null || by === reviewer.name) return `You approved ${gate}.`;
  return `*${escaped(by)}* approved ${gate} before you.`;
}

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
