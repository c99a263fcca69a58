import type { HistoryEntry } from './history.js';

/** Everything that a webhook can subscribe to. */
export const EVENT_TYPES = {
  'run.created': 'A crash started a run.',
  'run.regressed': 'A crash came back after its issue was closed, and started a run.',
  'run.state_changed': 'A run moved to another state. Sent beside the more specific event.',
  'run.draft_ready': 'The analysis is done; the draft waits at Gate 2.',
  'run.analysis_failed': 'The analysis failed; the run waits at Gate 1 again.',
  'run.returned': 'A reviewer returned the run from Gate 2 to Gate 1.',
  'run.rejected': 'A reviewer rejected the run.',
  'run.commented': 'A reviewer commented on the run.',
  'run.fixed': 'The run was marked as fixed, or its issue was closed as completed.',
  'run.unfixed': 'The mark was removed, or the issue was opened again.',
  'run.handed_off': 'A reviewer handed the signed issue and its fix brief over to webhooks.',
  'issue.published': 'The signed draft has been published as an issue.',
  'issue.publish_failed': 'The code host refused the signed draft; it waits at Gate 2 again.',
} as const;
/** One of `EVENT_TYPES`. */
export type EventType = keyof typeof EVENT_TYPES;
export const EVENT_NAMES = Object.keys(EVENT_TYPES) as readonly EventType[];

/** Sent only by "send a test". No webhook subscribes to it, and it has no run: its data has `webhook_id`. */
export const TEST_EVENT = 'webhook.test';
export const TEST_MEANING = 'A reviewer sent a test. It needs no subscription, and its data has no run.';

/** The history entry of a hand-over to webhooks. */
const HAND_OFF = 'hand_off.webhook';

const BY_NAME: Readonly<Record<string, EventType>> = {
  'analysis.done': 'run.draft_ready',
  'analysis.failed': 'run.analysis_failed',
  'gate1.reject': 'run.rejected',
  'gate2.reject': 'run.rejected',
  'gate2.return': 'run.returned',
  comment: 'run.commented',
  resolve: 'run.fixed',
  'resolve.undo': 'run.unfixed',
  'issue.completed': 'run.fixed',
  'issue.open': 'run.unfixed',
  [HAND_OFF]: 'run.handed_off',
};

/** The events of one history entry, the specific one first. */
export function eventsOf(entry: HistoryEntry): readonly EventType[] {
  const specific = specificOf(entry);
  const moved = entry.from !== null && entry.to !== null && entry.from !== entry.to;
  return [...(specific === null ? [] : [specific]), ...(moved ? (['run.state_changed'] as const) : [])];
}

function specificOf({ name, from, to, detail }: HistoryEntry): EventType | null {
  if (name === 'staged') return detail.regression_of === undefined ? 'run.created' : 'run.regressed';
  if (from === 'publishing' && to === 'published') return 'issue.published';
  if (from === 'publishing' && to === 'staged_draft') return 'issue.publish_failed';
  // What core itself does to the issue follows from a reviewer's decision, which has an event.
  if (detail.own === true) return null;
  return BY_NAME[name] ?? null;
}
