import { capital } from '../format.js';

/** Of the names of history entries: the heading in the timeline, and what a notice says that a reviewer did. */
const WORDS: Readonly<Record<string, readonly [heading: string, did?: string]>> = {
  'gate1.approve': ['Gate 1 approved', 'approved Gate 1'],
  'gate1.reject': ['Rejected at Gate 1', 'rejected this run'],
  'gate2.approve': ['Signed at Gate 2', 'signed the draft'],
  'gate2.reject': ['Rejected at Gate 2', 'rejected this run'],
  'gate2.return': ['Returned to Gate 1', 'returned this run to Gate 1'],
  'gate1.reopen': ['Rejection undone', 'undid the rejection'],
  'gate2.reopen': ['Rejection undone', 'undid the rejection'],
  'gate1.snooze': ['Snoozed at Gate 1', 'snoozed this run'],
  'gate2.snooze': ['Snoozed at Gate 2', 'snoozed this run'],
  'snooze.change': ['Snooze changed', 'changed the snooze'],
  'gate1.wake': ['Awake at Gate 1', 'ended the snooze'],
  'gate2.wake': ['Awake at Gate 2', 'ended the snooze'],
  claim: ['Claimed', 'claimed this run'],
  'claim.release': ['Claim released', 'released the claim'],
  resolve: ['Marked as fixed'],
  'resolve.undo': ['Mark as fixed undone'],
  'resolve.retry': ['Change of the issue retried'],
  'issue_change.attempt': ['Comment on the issue sent'],
  'issue_change.commented': ['Issue commented on'],
  'issue_change.retry': ['Change of the issue failed, will be retried'],
  'issue_change.resumed': ['Change of the issue resumed'],
  'issue_change.done': ['Issue changed'],
  'issue_change.failed': ['The code host refused the change'],
  'hand_off.github': ['Handed to GitHub’s coding agent'],
  'hand_off.webhook': ['Handed to webhooks'],
  'hand_off.done': ['Coding agent assigned'],
  'hand_off.failed': ['Coding agent not assigned'],
  'issue.completed': ['Issue closed'],
  'issue.not_planned': ['Issue closed as not planned'],
  'issue.duplicate': ['Issue closed as a duplicate'],
  'issue.open': ['Issue opened'],
  'issue.deleted': ['Issue deleted or moved'],
  'fix.found': ['Fix found'],
  'draft.edit': ['Draft edited', 'edited the draft'],
  'investigation.start': ['Investigation started', 'started an investigation'],
  'investigation.stop': ['Investigation stopped', 'stopped the investigation'],
  'investigation.done': ['The draft follows the finding'],
  'investigation.ended': ['Investigation ended'],
  'finding.submit': ['Finding handed in', 'handed in a finding'],
  'suspects.choose': ['Suspects chosen', 'chose whose suspects the draft follows'],
  tree: ['File tree read'],
  locate: ['Frames located'],
  blame: ['Lines blamed'],
  rank: ['Commits ranked'],
  explain: ['Explained'],
  compose: ['Draft written'],
  'analysis.done': ['Analysis done'],
  'analysis.failed': ['Analysis failed'],
  'analysis.resumed': ['Analysis resumed'],
  'publish.resumed': ['Publishing resumed'],
  'publish.done': ['Issue published'],
  'publish.refused': ['Rejected by the code host'],
  comment: ['Comment', 'commented'],
};

function rowOf(name: string) {
  return Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
}

/** The words for a history entry's name; without a row, the name itself: `came_back` is "Came back". */
export function decisionWords(name: string): string {
  return rowOf(name)?.[0] ?? capital(name.replace(/[._]/g, ' '));
}

/** `approved Gate 1`, after a reviewer's name. */
export function didWords(name: string): string {
  return rowOf(name)?.[1] ?? 'changed this run';
}
