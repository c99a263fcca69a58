import { inject, injectable } from '../di/inject.js';
import { step } from '../domain/entries.js';
import type { HistoryEntry } from '../domain/history.js';
import type { Run } from '../domain/run.js';
import type { PublishedIssue } from '../ports/publisher.js';
import { RunHistory } from '../ports/run-history.js';
import type { RunPatch } from '../ports/run-store.js';
import { Projects } from '../runs/projects.js';
import { Runs } from '../runs/runs.js';
import {
  CLOSED_AS,
  type IssueAnswer,
  type IssueStatus,
  isClosedAs,
  OPEN,
  RECORDED,
  statusOf,
} from './issue-status.js';

/** How long after our own change a contrary answer of the code host may be an old one. */
const OWN_CHANGE_MS = 10_000;

/** What an issue means for the next crash, and after which time it has to be read again; `null`: no need. */
export interface Recorded {
  readonly answer: IssueAnswer;
  readonly againMs: number | null;
}

/** What is recorded of the issues of runs. */
@injectable()
export class IssueRecords {
  constructor(
    @inject(Runs) private readonly runs: Runs,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Projects) private readonly projects: Projects,
  ) {}

  /**
   * Records what became of a published issue: in the history, so that it says why a crash does or does not start a new run, and on
   * the run, which is over with its issue. What Culprit itself is changing, or has just changed, is not recorded: the history has it
   * already.
   */
  async record(runId: string, issue: PublishedIssue | null): Promise<Recorded> {
    const before = lastStatus(await this.runHistory.history(runId));
    const { result } = await this.runs.change(runId, ({ run }, now) => {
      const status = statusFor(run, issue);
      const resolves = this.projects.following(run.project).closedIssues === 'resolve';
      const own = ownChange(run, status, Date.parse(now));
      if (own !== null) return { result: { answer: answerOf(run, 'open'), againMs: own.againMs } };
      const patch = patchOf(run, { before, status, resolves, fix: issue?.fix ?? null, now });
      const counted = isClosedAs(status) && !resolves ? 'open' : status;
      const result = { answer: answerOf({ ...run, ...patch }, counted), againMs: null };
      const found = patch.fix;
      const history = [
        ...(found ? [step('fix.found', now, { detail: fixDetail(found) })] : []),
        ...(status === before ? [] : [step(`${RECORDED}${status}`, now, {})]),
      ];
      const unchanged = history.length === 0 && Object.keys(patch).length === 0;
      return unchanged ? { result } : { result, change: { patch, history } };
    });
    return result;
  }
}

/** A reviewer's decision about the run, else the status of its issue. */
export function answerOf(
  { resolution, fix }: Pick<Run, 'resolution' | 'fix'>,
  status: IssueStatus,
): IssueAnswer {
  const { commit, pull_request } = fix ?? {};
  const known = commit === undefined ? null : { commit, pull_request: pull_request ?? null };
  if (!resolution?.by)
    return status === 'completed' ? { state: status, fix: known } : { ...OPEN, state: status };
  const { at: resolved, not_in } = resolution;
  return { state: 'completed', fix: known, resolved, ...(not_in === undefined ? {} : { not_in }) };
}

/** An issue that only got a comment stays closed: it counts as open until somebody closes it again. */
function statusFor({ draft, publication, follow_up }: Run, issue: PublishedIssue | null): IssueStatus {
  const status = statusOf(issue);
  if (!isClosedAs(status) || draft?.reopens?.only_comment !== true || publication === null) return status;
  // Closing a closed issue changes nothing that it shows.
  if (follow_up?.set === 'closed' && follow_up.state === 'done') return status;
  const since = Date.parse(publication.published_at);
  return issue?.closed_at && Date.parse(issue.closed_at) > since ? status : 'open';
}

/** Set if what the issue shows comes from our own change, or is older; read it again after `againMs`. */
function ownChange(
  { follow_up }: Run,
  status: IssueStatus,
  now: number,
): { readonly againMs: number | null } | null {
  if (!follow_up || follow_up.set === null) return null;
  if (follow_up.state === 'pending') return { againMs: null };
  const contrary = (follow_up.set === 'open') !== (status === 'open');
  const done = follow_up.done_at === null ? Number.NaN : Date.parse(follow_up.done_at);
  return contrary && now - done < OWN_CHANGE_MS ? { againMs: OWN_CHANGE_MS } : null;
}

interface Seen {
  readonly before: string;
  readonly status: IssueStatus;
  /** Closed issues end their run. */
  readonly resolves: boolean;
  readonly fix: PublishedIssue['fix'];
  readonly now: string;
}

function patchOf(run: Run, seen: Seen): RunPatch {
  const { status, resolves, now } = seen;
  const fix = status === 'completed' ? (seen.fix ?? null) : null;
  const over = resolutionPatch(run, seen.before, status, resolves, now);
  const byReviewer = (over.resolution === undefined ? run.resolution : over.resolution)?.by;
  // The issue does not know the commit that a reviewer has named.
  const kept = run.fix?.commit === fix?.commit || (fix === null && byReviewer);
  return { ...over, ...(kept ? {} : { fix: fix && { ...fix, missing_in: [], occurrences: 0 } }) };
}

/** A run is over with its issue, and not any more if somebody opens the issue again. A reviewer's decision is kept until then. */
function resolutionPatch(
  { resolution = null }: Run,
  before: string,
  status: IssueStatus,
  resolves: boolean,
  now: string,
): RunPatch {
  if (status === 'open') {
    const opened = resolution !== null && (resolution.by === null || isClosedAs(before));
    return opened ? { resolution: null } : {};
  }
  if (!isClosedAs(status) || !resolves || resolution?.by) return {};
  const as = CLOSED_AS[status];
  return resolution?.as === as ? {} : { resolution: { as, by: null, at: now } };
}

function fixDetail({ commit, pull_request }: NonNullable<Run['fix']>) {
  return { commit, pull_request: pull_request?.number ?? null };
}

function lastStatus(history: readonly HistoryEntry[]): string {
  const last = history.findLast(({ name }) => name.startsWith(RECORDED));
  return last?.name.slice(RECORDED.length) ?? 'open';
}
