import { inject, injectable } from '../di/inject.js';
import { decision, step } from '../domain/entries.js';
import { HANDED, type HandOff, type HandOffTarget } from '../domain/hand-off.js';
import type { NewHistoryEntry, Reviewer } from '../domain/history.js';
import type { Run, RunRecord } from '../domain/run.js';
import { asCulpritError, CulpritError } from '../errors/error.js';
import { draftChanged, stateConflict } from '../operations/refusals.js';
import { sha256Hex } from '../pipeline/hash.js';
import { Issues } from '../pipeline/issue.js';
import { Notifications } from '../pipeline/notify.js';
import { PendingFollowUps } from '../pipeline/pending-follow-ups.js';
import { changedText } from '../pipeline/verify-publication.js';
import { Clock } from '../ports/clock.js';
import { Logger } from '../ports/logger.js';
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
/** A process that has not assigned the agent by then has ended. */
const ABANDONED_MS = 2 * ASK_MS;
/** How long after the decision an interrupted hand-off is tried again when the code host does not answer. */
const RESUME_MS = 60 * 60_000;

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
  /** Runs whose interrupted hand-off this process is finishing. */
  private readonly resuming = new Set<string>();

  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(Issues) private readonly issues: Issues,
    @inject(Tasks) private readonly tasks: Tasks,
    @inject(Clock) private readonly clock: Clock,
    @inject(Logger) private readonly logger: Logger,
    @inject(PendingFollowUps) private readonly pending: PendingFollowUps,
    @inject(Notifications) private readonly notifications: Notifications,
  ) {}

  /** Idempotent. */
  async handOff(runId: string, reviewer: Reviewer, { to, digest, comments }: HandingOver): Promise<Run> {
    const record = await this.runs.get(runId);
    const found = published(record.run, digest);
    if (handOffOf(found, to)?.state === 'done') return record.run;
    if (to === 'webhook') return this.decide(runId, to, reviewer, digest);
    const agent = await this.agentFor(record, found, comments);
    await this.pending.add(runId);
    const decided = await this.decide(runId, to, reviewer, digest);
    if (handOffOf(decided, to)?.state !== 'pending') return decided;
    return this.finish(runId, to, () => this.assign(agent, found));
  }

  /**
   * Begins to finish what a process that ended has left pending, unless the issue has changed or has comments: nobody can confirm
   * them now. False: nothing is pending.
   */
  async resume(runId: string): Promise<boolean> {
    const record = await this.runs.store.get(runId);
    const left = record?.run.hand_offs?.find(({ state }) => state === 'pending');
    if (!record || !left) return false;
    const age = this.clock.now() - Date.parse(left.at);
    if (age < ABANDONED_MS || this.resuming.has(runId)) return true;
    this.resuming.add(runId);
    this.tasks.start('hand-off', async () => {
      try {
        await this.again(record, left, age < RESUME_MS);
      } catch (err) {
        if (!this.tasks.signal.aborted)
          this.logger.warn({ run_id: runId, err }, 'a run could not be handed over');
      } finally {
        this.resuming.delete(runId);
      }
    });
    return true;
  }

  private async again(record: RunRecord, { to, digest }: HandOff, keepsTrying: boolean): Promise<void> {
    const assign = async () => {
      const found = published(record.run, digest);
      await this.assign(await this.agentFor(record, found, undefined), found);
    };
    await this.finish(record.run.run_id, to, assign, keepsTrying);
  }

  /**
   * Does it, and stores the result. A hand-off that the end of the engine interrupts stays pending. `keepsTrying`: so does one whose
   * failure may pass.
   */
  private async finish(
    runId: string,
    to: HandOffTarget,
    act: () => Promise<void>,
    keepsTrying = false,
  ): Promise<Run> {
    try {
      await act();
    } catch (error) {
      this.tasks.signal.throwIfAborted();
      const failure = hostError(error);
      if (keepsTrying && failure.retryable) throw failure;
      await this.settle(runId, to, { state: 'failed', error: runError(failure) });
      throw failure;
    }
    return this.settle(runId, to, { state: 'done', error: null });
  }

  private assign(agent: CodingAgent, { draft, publication }: Published): Promise<void> {
    return agent.assign(draft.repository, publication.number, timeLimit(ASK_MS, this.tasks.signal));
  }

  /** The coding agent, if it reads what was signed, and comments that the reviewer has confirmed. */
  private async agentFor(
    record: RunRecord,
    found: Published,
    comments: string | undefined,
  ): Promise<CodingAgent> {
    const agent = this.agentOf(found);
    try {
      await this.requireSigned(record, found);
      await this.requireRead(agent, found, comments);
    } catch (error) {
      throw hostError(error);
    }
    return agent;
  }

  /** The agent reads the issue, so the issue must still be what was signed. */
  private async requireSigned(record: RunRecord, { publication }: Published): Promise<void> {
    const limit = timeLimit(ASK_MS, this.tasks.signal);
    const text = await this.issues.published(record, publication, limit);
    if (text.issue === null)
      throw new CulpritError('hand_off_refused', 'The issue no longer exists on the code host.');
    const change = changedText({ ...text, history: await this.runHistory.history(record.run.run_id) });
    if (change !== null) throw notSigned(change);
  }

  /** The agent also reads comments, which nobody signs: the reviewer confirms having read exactly these. */
  private async requireRead(
    agent: CodingAgent,
    { draft, publication }: Published,
    confirmed: string | undefined,
  ): Promise<void> {
    if (agent.comments === undefined) return;
    const limit = timeLimit(ASK_MS, this.tasks.signal);
    const found = await agent.comments(draft.repository, publication.number, limit);
    if (found.length > 0 && digestOf(found) !== confirmed) throw unread(found, publication.issue_url);
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

function hostError(error: unknown): CulpritError {
  const detail =
    'The code host did not answer. Try again: an agent that is assigned already is not assigned twice.';
  return asCulpritError(error, 'code_host_unavailable', detail);
}
