import { inject, injectable } from '../di/inject.js';
import { decision, step } from '../domain/entries.js';
import { HANDED, type HandOff, type HandOffTarget } from '../domain/hand-off.js';
import type { NewHistoryEntry, Reviewer } from '../domain/history.js';
import type { Run, RunRecord } from '../domain/run.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import { draftChanged, stateConflict } from '../operations/refusals.js';
import { sha256Hex } from '../pipeline/hash.js';
import { Issues } from '../pipeline/issue.js';
import { Notifications } from '../pipeline/notify.js';
import { changedText } from '../pipeline/verify-publication.js';
import { type CodingAgent, type IssueComment, Publisher } from '../ports/publisher.js';
import { RunHistory } from '../ports/run-history.js';
import { timeLimit } from '../resilience/time-limit.js';
import { runError } from '../runs/run-error.js';
import { Runs } from '../runs/runs.js';
import { publisherOf } from '../runs/system-of.js';
import { Tasks } from '../runs/tasks.js';

/** Comments that a refusal names: the latest. */
const MAX_SHOWN = 20;
/** Time limit of reading the issue, and of assigning the agent. */
const ASK_MS = 30_000;

type Published = Run & {
  readonly publication: NonNullable<Run['publication']>;
  readonly draft: NonNullable<Run['draft']>;
};

/** To whom a run is handed over, and what the reviewer has read. */
export interface HandingOver {
  readonly to: HandOffTarget;
  /** Of the signed draft. */
  readonly digest: string;
  /** That of `comments_unconfirmed`. */
  readonly comments?: string | undefined;
}

/**
 * After Gate 2 a reviewer hands the signed text over, once for each target. The decision is stored before the agent is assigned;
 * assigning has no effect on an issue that is assigned already, so an interrupted one is repeated safely.
 */
@injectable()
export class HandingOff {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(Issues) private readonly issues: Issues,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** Idempotent. */
  async handOff(runId: string, reviewer: Reviewer, { to, digest, comments }: HandingOver): Promise<Run> {
    const record = await this.runs.get(runId);
    const found = published(record.run, digest);
    if (handOffOf(found, to)?.state === 'done') return record.run;
    const agent = to === 'github' ? this.agentOf(found) : null;
    if (agent !== null) {
      await this.requireSigned(record, found);
      await this.requireRead(agent, found, comments);
    }
    const decided = await this.decide(runId, to, reviewer, digest);
    const handOff = handOffOf(decided, to);
    if (agent === null || handOff?.state !== 'pending') return decided;
    try {
      const { repository } = found.draft;
      await agent.assign(repository, found.publication.number, timeLimit(ASK_MS, this.tasks.signal));
    } catch (error) {
      const failure = asCulpritError(error);
      await this.settle(runId, to, { state: 'failed', error: runError(failure) });
      throw failure;
    }
    return this.settle(runId, to, { state: 'done', error: null });
  }

  /** The agent reads the issue, so the issue must still be what was signed. */
  private async requireSigned(record: RunRecord, { publication }: Published): Promise<void> {
    const { runHistory, tasks } = this;
    try {
      const text = await this.issues.published(record, publication, timeLimit(ASK_MS, tasks.signal));
      if (text.issue === null)
        throw new CulpritError('hand_off_refused', 'The issue no longer exists on the code host.');
      const change = changedText({ ...text, history: await runHistory.history(record.run.run_id) });
      if (change !== null) throw notSigned(change);
    } catch (error) {
      throw asCulpritError(error);
    }
  }

  /** The agent also reads comments, which nobody signs: the reviewer confirms having read exactly these. */
  private async requireRead(
    agent: CodingAgent,
    run: Published,
    confirmed: string | undefined,
  ): Promise<void> {
    const { draft, publication } = run;
    if (agent.comments === undefined) return;
    try {
      const limit = timeLimit(ASK_MS, this.tasks.signal);
      const found = await agent.comments(draft.repository, publication.number, limit);
      if (found.length > 0 && digestOf(found) !== confirmed) throw unread(found, publication.issue_url);
    } catch (error) {
      throw asCulpritError(error);
    }
  }

  private agentOf({ draft }: Published) {
    const { publisher } = this;
    const agent = publisher === null ? undefined : publisherOf(publisher, draft.repository).agent;
    if (agent !== undefined) return agent;
    const detail =
      'This issue has no coding agent: that needs an issue on GitHub, and GITHUB_AGENT_TOKEN. Hand the run over to webhooks instead.';
    throw new CulpritError('hand_off_refused', detail);
  }

  private decide(runId: string, to: HandOffTarget, reviewer: Reviewer, digest: string): Promise<Run> {
    return this.change(runId, (run, at) => {
      published(run, digest);
      const before = handOffOf(run, to);
      if (before !== undefined && before.state !== 'failed') return null;
      // The host informs a webhook's receivers, because it follows the history.
      const state = to === 'webhook' ? 'done' : 'pending';
      const handOff: HandOff = { to, by: reviewer.name, at, digest, state, error: null };
      return { handOff, entry: decision(`${HANDED}${to}`, at, reviewer, { digest }) };
    });
  }

  private settle(
    runId: string,
    to: HandOffTarget,
    { state, error }: Pick<HandOff, 'state' | 'error'>,
  ): Promise<Run> {
    return this.change(runId, (run, at) => {
      const before = handOffOf(run, to);
      // Another request may have done it in the meantime.
      if (before?.state !== 'pending') return null;
      const { digest } = before;
      return {
        handOff: { ...before, state, error },
        entry: step(`${HANDED}${state}`, at, { digest, error }),
      };
    });
  }

  private async change(
    runId: string,
    decide: (run: Run, now: string) => { readonly handOff: HandOff; readonly entry: NewHistoryEntry } | null,
  ): Promise<Run> {
    const { record, changed } = await this.runs.change(runId, ({ run }, now) => {
      const made = decide(run, now);
      if (made === null) return { result: null };
      const others = (run.hand_offs ?? []).filter(({ to }) => to !== made.handOff.to);
      const patch = { hand_offs: [...others, made.handOff] };
      return { result: null, change: { patch, history: [made.entry], quiet: true } };
    });
    if (changed) this.notifications.changed(runId);
    return record.run;
  }
}

function handOffOf({ hand_offs = [] }: Run, target: HandOffTarget): HandOff | undefined {
  return hand_offs.find(({ to }) => to === target);
}

/** The run, if the draft with this digest was signed and is published. */
function published(run: Run, digest: string): Published {
  const { publication, draft } = run;
  if (run.state !== 'published' || publication === null || draft === null)
    throw stateConflict(run, 'Handing over');
  if (publication.digest !== digest) throw draftChanged(publication.digest);
  return { ...run, publication, draft };
}

function digestOf(comments: readonly IssueComment[]): string {
  const text = JSON.stringify(comments.map(({ url, by, at, body }) => [url, by, at, body]));
  return sha256Hex(text);
}

function unread(comments: readonly IssueComment[], issueUrl: string): CulpritError {
  const entries = comments.slice(-MAX_SHOWN).map(({ url, by, at }) => ({ url, by, at }));
  const digest = digestOf(comments);
  const what = comments.length === 1 ? 'a comment' : `${comments.length} comments`;
  const detail = `The coding agent also reads ${what} on the issue, which nobody signed. Read them at ${issueUrl} and confirm them with their digest, ${digest}, or hand the run over to webhooks.`;
  return new CulpritError('comments_unconfirmed', detail, {
    members: { comments: { digest, count: comments.length, entries } },
  });
}

function notSigned(change: string): CulpritError {
  const detail = `The coding agent would read a text that nobody signed (${change}). Compare them with "culprit verify", and restore the signed text on the code host, or hand the run over to webhooks.`;
  return new CulpritError('hand_off_refused', detail);
}

function asCulpritError(error: unknown): CulpritError {
  if (isCulpritError(error)) return error;
  const detail =
    'The code host did not answer. Try again: an agent that is assigned already is not assigned twice.';
  return new CulpritError('code_host_unavailable', detail, { cause: error });
}
