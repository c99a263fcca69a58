import type { HistoryEntry } from '../domain/history.js';
import type { Run } from '../domain/run.js';
import type { PublishedIssue } from '../ports/publisher.js';
import type { RunPatch } from '../ports/run-store.js';
import { changeRun } from '../runs/change-run.js';
import { step } from '../runs/entries.js';
import { followingOf } from '../runs/following.js';
import type { EngineServices } from '../runs/services.js';
import {
  CLOSED_AS,
  type IssueAnswer,
  type IssueStatus,
  isClosedAs,
  OPEN,
  RECORDED,
  statusOf,
} from './issue-status.js';

/** How long after our own change a contrary answer of the code host counts as an old one. */
const OWN_CHANGE_MS = 60_000;

/** The ports and services that `recordIssue` uses. */
export type RecordIssueParts = Pick<
  EngineServices,
  'runStore' | 'runHistory' | 'clock' | 'policy' | 'projects'
>;

/**
 * Records what became of a published issue: in the history, so that it says why a crash does or does not start a new run, and on
 * the run, which is over with its issue. Resolves with what that means for the next crash. What Culprit itself is changing, or has
 * just changed, is not recorded: the history has it already.
 */
export async function recordIssue(
  parts: RecordIssueParts,
  runId: string,
  issue: PublishedIssue | null,
): Promise<IssueAnswer> {
  const { runStore, runHistory, clock, policy, projects } = parts;
  const before = lastStatus(await runHistory.history(runId));
  const { result } = await changeRun(runStore, clock, runId, ({ run }, now) => {
    const status = statusFor(run, issue);
    const resolves = followingOf(policy, projects(run.project)).closedIssues === 'resolve';
    if (isOwnChange(run, status, Date.parse(now))) return { result: answerOf(run, 'open') };
    const patch = patchOf(run, { before, status, resolves, fix: issue?.fix ?? null, now });
    const answer = answerOf({ ...run, ...patch }, isClosedAs(status) && !resolves ? 'open' : status);
    const found = patch.fix;
    const history = [
      ...(found ? [step('fix.found', now, { detail: fixDetail(found) })] : []),
      ...(status === before ? [] : [step(`${RECORDED}${status}`, now, {})]),
    ];
    const unchanged = history.length === 0 && Object.keys(patch).length === 0;
    return unchanged ? { result: answer } : { result: answer, change: { patch, history } };
  });
  return result;
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
function statusFor({ draft, publication }: Run, issue: PublishedIssue | null): IssueStatus {
  const status = statusOf(issue);
  if (!isClosedAs(status) || draft?.reopens?.only_comment !== true || publication === null) return status;
  const since = Date.parse(publication.published_at);
  return issue?.closed_at && Date.parse(issue.closed_at) > since ? status : 'open';
}

function isOwnChange({ follow_up }: Run, status: IssueStatus, now: number): boolean {
  if (!follow_up || follow_up.set === null) return false;
  if (follow_up.state === 'pending') return true;
  const contrary = (follow_up.set === 'open') !== (status === 'open');
  const { done_at } = follow_up;
  return contrary && done_at !== null && now - Date.parse(done_at) < OWN_CHANGE_MS;
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

/** A run is over with its issue, and not any more if somebody opens the issue again. A reviewer's decision stands until then. */
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
