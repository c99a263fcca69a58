import { inject, injectable } from '../di/inject.js';
import type { Draft } from '../domain/draft.js';
import { step } from '../domain/entries.js';
import { NO_PROGRESS } from '../domain/resolution.js';
import {
  type Lease,
  nextState,
  type PublishIntent,
  type Run,
  type RunRecord,
  type SignedComment,
} from '../domain/run.js';
import type { CulpritError } from '../errors/error.js';
import { Logger } from '../ports/logger.js';
import { type IssueToPublish, type PublishedIssue, Publisher } from '../ports/publisher.js';
import type { RunChange, RunPatch } from '../ports/run-store.js';
import { timeLimit } from '../resilience/time-limit.js';
import { runError } from '../runs/run-error.js';
import { holds, Runs } from '../runs/runs.js';
import { publisherOf } from '../runs/system-of.js';
import { type Created, type Destination, destinationOf } from './destination.js';
import { hasMarker } from './draft/trailer.js';
import { CALL_MS, Effects, type Failed, publisherError, type Round, type StoredRound } from './effects.js';
import { FollowUps } from './follow-up.js';
import { linkingBack } from './follow-up-effect.js';
import { Issues, issueOf } from './issue.js';
import { Notifications } from './notify.js';
import { PendingFollowUps } from './pending-follow-ups.js';

type Signed = RunRecord & { readonly intent: PublishIntent; readonly run: Run & { readonly draft: Draft } };

/** Turns a signed draft into exactly one issue, or into one comment that reopens an issue, which may be interrupted at any point. */
@injectable()
export class Publishing {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(Effects) private readonly effects: Effects,
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(Issues) private readonly issues: Issues,
    @inject(PendingFollowUps) private readonly pending: PendingFollowUps,
    @inject(FollowUps) private readonly followUps: FollowUps,
    @inject(Notifications) private readonly notifications: Notifications,
    @inject(Logger) private readonly logger: Logger,
  ) {}

  intentOf({ run, sealed }: RunRecord, draft: Draft, reviewer: string, now: string): PublishIntent {
    return {
      ...(sealed === undefined ? {} : { audit: sealed.mac }),
      digest: draft.digest,
      marker: this.issues.marker(run),
      reviewer,
      named: true,
      signed_at: now,
      ...NO_PROGRESS,
    };
  }

  lease(record: RunRecord): Lease {
    return this.effects.take(record);
  }

  start({ run: { run_id: runId }, lease }: RunRecord): void {
    const { publisher } = this;
    this.effects.start({
      runId,
      kind: 'publication',
      name: 'publication',
      lease,
      progress: (record) => (isSigned(record) && publisher !== null ? record.intent : null),
      round: async (record) =>
        isSigned(record) && publisher !== null ? this.round(record, publisher) : 'done',
    });
  }

  /** Resumes an abandoned publication. */
  async resume(runId: string, lost: (record: RunRecord) => boolean): Promise<void> {
    const isAbandoned = (record: RunRecord) => record.run.state === 'publishing' && lost(record);
    const taken = await this.effects.resume(runId, isAbandoned, 'publish.resumed');
    if (taken !== null) this.start(taken);
  }

  private async round(record: Signed, all: Publisher): Promise<Round> {
    const { intent, run } = record;
    const publisher = publisherOf(all, run.draft.repository);
    const to = destinationOf(publisher, issueOf(run, intent));
    if (intent.comment !== undefined) return this.open(record, intent.comment, to);
    const since = await this.issues.since(run);
    return this.effects.createOnce<Created>({
      progress: intent,
      listsAtOnce: publisher.listsAtOnce === true,
      find: async (signal) => {
        const found = await to.find(since, signal);
        return found && hasMarker(found.body, intent.marker) ? found : null;
      },
      check: (signal) => to.check(signal),
      create: (signal) => to.create(signal),
      store: (changes, what) => this.note(record, changes, null, `publish.${what}`),
      made: (issue, how) => this.created(record, issue, `publish.${how}`),
      failed: (failed) => this.failed(record, failed),
    });
  }

  /** A comment is recorded first: however often opening the issue fails, there is no second one. */
  private async created(record: Signed, issue: Created, name: string): Promise<Round> {
    const { comment_url: url, created_at } = issue;
    if (url === undefined) return this.finish(record, issue, name);
    const comment = { url, created_at, divergence: divergenceOf(issueOf(record.run, record.intent), issue) };
    return (await this.note(record, { comment, failures: 0, not_before: null }, null, name)).round;
  }

  private async open(record: Signed, comment: SignedComment, to: Destination): Promise<Round> {
    let issue: Created;
    try {
      issue = await to.open(comment, timeLimit(CALL_MS));
    } catch (thrown) {
      const error = publisherError(thrown);
      return this.retry(record, { error, during: 'look', progress: record.intent }, 'publish.open');
    }
    return this.finish(record, issue, 'publish.done');
  }

  /** A permanent refusal returns to the reviewer if no attempt can have succeeded; otherwise retry. */
  private failed(record: Signed, failed: Failed): Promise<Round> {
    const { error, during, progress } = failed;
    const isGone = error.code === 'reopen_refused';
    if (during === 'look') {
      const isFinal = isGone || (!progress.ambiguous && !error.retryable);
      return isFinal
        ? this.refuse(record, error, 'publish.look')
        : this.retry(record, failed, 'publish.look');
    }
    // Every listing that could show an earlier attempt has been read.
    if (isGone || error.code === 'publish_refused') return this.refuse(record, error, 'publish.refused');
    return this.retry(record, failed, error.code === 'publish_wait' ? 'publish.wait' : 'publish.ambiguous');
  }

  private async retry(record: Signed, failed: Failed, name: string): Promise<Round> {
    return (await this.note(record, this.effects.retried(failed), failed.error, name)).round;
  }

  /** Stores the publication's progress; extends the lease. */
  private async note(
    before: Signed,
    changes: Partial<PublishIntent>,
    error: CulpritError | null,
    name: string,
  ): Promise<StoredRound> {
    const { changed } = await this.change(before, ({ run, intent, lease }, now) => {
      const kept = { ...intent, ...changes };
      const detail = { attempts: kept.attempts };
      return {
        patch: { last_error: error ? runError(error) : run.last_error },
        intent: kept,
        lease: this.effects.extended(lease),
        history: [step(name, now, { error: error && runError(error), detail })],
      };
    });
    return { round: changed ? 'again' : 'done', changed };
  }

  private async finish(before: Signed, issue: Created, name: string): Promise<Round> {
    if (before.run.link_back) await this.pending.add(before.run.run_id);
    const { changed, record } = await this.change(before, ({ run, intent, lease }, now) => {
      const to = nextState(run.state, 'publish.done') ?? run.state;
      const publication = {
        issue_url: issue.url,
        number: issue.number,
        ...(issue.comment_url === undefined ? {} : { comment_url: issue.comment_url }),
        published_at: issue.created_at,
        digest: intent.digest,
        divergence: divergenceOf(issueOf(run, intent), issue),
      };
      const linked = linkingBack(run, publication, intent, now);
      const patch: RunPatch = { state: to, publication, last_error: null, ...linked };
      const entry = step(name, now, {
        from: run.state,
        to,
        digest: intent.digest,
        detail: { number: issue.number },
      });
      return {
        patch,
        lease: linked && this.effects.extended(lease),
        intent: { ...intent, ambiguous: false, not_before: null },
        history: [entry],
      };
    });
    if (changed) {
      this.logger.info({ run_id: record.run.run_id, issue: issue.number }, 'issue published');
      this.followUps.start(record);
      this.notifications.changed(before.run.run_id);
    }
    return 'done';
  }

  private async refuse(before: Signed, refusal: CulpritError, name: string): Promise<Round> {
    const error = runError(refusal);
    await this.change(before, ({ run }, now) => {
      const to = nextState(run.state, 'publish.refused') ?? run.state;
      const entry = step(name, now, { from: run.state, to, error });
      return { patch: { state: to, last_error: error }, intent: null, lease: null, history: [entry] };
    });
    this.notifications.changed(before.run.run_id);
    return 'done';
  }

  /** Changes the run unless another engine took over or finished the publication. */
  private change(
    before: Signed,
    make: (record: Signed, now: string) => Omit<RunChange, 'run_id' | 'version' | 'now'>,
  ) {
    return this.runs.change(before.run.run_id, (record, now) => {
      if (!isSigned(record) || !holds(record, before.lease)) return { result: null };
      return { result: null, change: make(record, now) };
    });
  }
}

function isSigned(record: RunRecord): record is Signed {
  return record.run.state === 'publishing' && record.intent !== null && record.run.draft !== null;
}

/** What the code host changed or dropped, as text; empty if nothing. */
function divergenceOf(signed: IssueToPublish, stored: PublishedIssue): readonly string[] {
  const found: string[] = [];
  if (stored.title !== signed.title) found.push('the title was changed');
  if (normal(stored.body) !== normal(signed.body)) found.push('the body was changed');
  for (const label of missing(signed.labels, stored.labels)) found.push(`label "${label}" was dropped`);
  for (const name of missing(signed.assignees, stored.assignees))
    found.push(`assignee "${name}" was dropped`);
  return [...found, ...(stored.divergence ?? [])];
}

/** Code hosts may normalise line endings; nothing else may differ. */
function normal(body: string): string {
  return body.replaceAll('\r\n', '\n');
}

function missing(wanted: readonly string[], there: readonly string[]): readonly string[] {
  const known = new Set(there.map((name) => name.toLowerCase()));
  return wanted.filter((name) => !known.has(name.toLowerCase()));
}
