import { startEditing } from './draft/editor-state.js';
import { goToOffered } from './inbox/advance.js';
import { items, setFilter } from './inbox/inbox-state.js';
import { type Shortcut, sheetOpen } from './keys.js';
import { askRejectMany, askSnoozeMany, claimSelected } from './many/ask-many.js';
import { job, undoJob } from './many/job.js';
import { clearSelection, selectAll, selectToAtHand, toggleAtHand } from './many/selection.js';
import { copyBrief } from './run/copy-brief.js';
import { askBack, askGateOne, askGateTwo, askReject, askReopen } from './run/decisions.js';
import { askHandOver } from './run/hand-over.js';
import { jump } from './run/jump.js';
import { askMerge } from './run/merging.js';
import { askFixed } from './run/resolving.js';
import { openFrames } from './run/stack-state.js';
import { focusWhenShown } from './run/title-focus.js';
import { askClaim, askComment, askSnooze, askWake } from './run/turn-actions.js';
import { askVerify } from './run/verify.js';
import { decided, undo } from './state/decided.js';
import { go, goToRun, type Route, route } from './state/route.js';
import { catchUp, newer } from './state/run.js';
import { nextTheme } from './state/theme.js';

function on(act: () => void): () => boolean {
  return () => {
    act();
    return true;
  };
}

function step(by: 1 | -1): boolean {
  if (by === 1 && goToOffered()) return true;
  const runs = items.value.flatMap((item) => (item.kind === 'run' ? [item.run] : []));
  if (runs.length === 0) return false;
  const open = route.value.page === 'run' ? route.value.id : null;
  const at = runs.findIndex(({ run_id }) => run_id === open);
  const last = runs.length - 1;
  const next = runs[at === -1 ? (by === 1 ? 0 : last) : Math.min(last, Math.max(0, at + by))];
  if (next === undefined) return true;
  focusWhenShown(next.run_id);
  goToRun(next);
  return true;
}

function back(): boolean {
  if (clearSelection()) return true;
  if (route.value.page === 'inbox') return false;
  const { id } = route.value.page === 'run' ? route.value : { id: null };
  go('#/');
  if (id !== null) queueMicrotask(() => document.querySelector<HTMLElement>(`[data-run="${id}"]`)?.focus());
  return true;
}

function search(): boolean {
  const focus = () => document.getElementById('search')?.focus();
  if (route.value.page === 'inbox' || route.value.page === 'run') focus();
  else {
    go('#/');
    requestAnimationFrame(focus);
  }
  return true;
}

/** Every shortcut of the board; the sheet behind `?` lists them. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['j'], label: 'Next run', group: 'List', act: () => step(1) },
  { keys: ['k'], label: 'Previous run', group: 'List', act: () => step(-1) },
  { keys: ['/'], label: 'Search', group: 'List', act: search },
  { keys: ['Escape'], label: 'Clear the selection, or back to the list', group: 'List', act: back },
  { keys: ['x'], label: 'Select this run, or unselect it', group: 'List', act: toggleAtHand },
  {
    keys: ['Shift+X'],
    label: 'Select from the last selected run to this one',
    group: 'List',
    act: selectToAtHand,
  },
  { keys: ['*'], label: 'Select all runs that match', group: 'List', act: selectAll },
  { keys: ['a'], label: 'Approve Gate 1', group: 'Run', decides: true, act: askGateOne },
  { keys: ['Shift+A'], label: 'Sign and publish at Gate 2', group: 'Run', decides: true, act: askGateTwo },
  {
    keys: ['r'],
    label: 'Reject the selected runs, or this one',
    group: 'Run',
    decides: true,
    act: () => askRejectMany() || askReject(),
  },
  {
    keys: ['s'],
    label: 'Snooze the selected runs, or this one',
    group: 'Run',
    decides: true,
    act: () => askSnoozeMany() || askSnooze(),
  },
  {
    keys: ['c'],
    label: 'Claim the selected runs; claim, release or take over this one',
    group: 'Run',
    decides: true,
    act: () => claimSelected() || askClaim(),
  },
  { keys: ['m'], label: 'Comment', group: 'Run', act: askComment },
  {
    keys: ['z'],
    label: 'Undo a rejection, a snooze, a merge or a mark as fixed',
    group: 'Run',
    decides: true,
    act: () => undoJobOf(route.value) || askReopen() || askWake() || undoLatest(),
  },
  { keys: ['Shift+M'], label: 'Merge into another run', group: 'Run', decides: true, act: askMerge },
  { keys: ['d'], label: 'Mark as fixed', group: 'Run', decides: true, act: askFixed },
  { keys: ['h'], label: 'Hand a published run over', group: 'Run', decides: true, act: askHandOver },
  { keys: ['v'], label: 'Compare a published issue with its evidence', group: 'Run', act: askVerify },
  { keys: ['y'], label: 'Copy the fix brief', group: 'Run', act: copyBrief },
  { keys: ['b'], label: 'Return to Gate 1', group: 'Run', decides: true, act: askBack },
  { keys: ['e'], label: 'Edit the draft, or propose a change', group: 'Run', act: startEditing },
  { keys: ['f'], label: 'Expand or collapse all frames', group: 'Run', act: openFrames },
  {
    keys: ['u'],
    label: 'Show the latest version',
    group: 'Run',
    act: () => {
      if (newer.value === null) return false;
      catchUp();
      return true;
    },
  },
  { keys: ['1'], label: 'Go to the suspects', group: 'Run', act: () => jump('suspects') },
  { keys: ['2'], label: 'Go to the explanation', group: 'Run', act: () => jump('explanation') },
  { keys: ['3'], label: 'Go to the crash', group: 'Run', act: () => jump('crash') },
  { keys: ['4'], label: 'Go to the draft', group: 'Run', act: () => jump('draft') },
  { keys: ['5'], label: 'Go to the occurrences', group: 'Run', act: () => jump('occurrences') },
  { keys: ['6'], label: 'Go to the timeline', group: 'Run', act: () => jump('timeline') },
  { keys: ['g', 'i'], label: 'Inbox', group: 'Go', act: on(() => inbox('waiting')) },
  { keys: ['g', 's'], label: 'Snoozed runs', group: 'Go', act: on(() => inbox('snoozed')) },
  { keys: ['g', 'p'], label: 'Published runs', group: 'Go', act: on(() => inbox('published')) },
  { keys: ['g', 'r'], label: 'Rejected runs', group: 'Go', act: on(() => inbox('rejected')) },
  { keys: ['g', 'e'], label: 'Edges', group: 'Go', act: on(() => go('#/edges')) },
  { keys: ['g', 'd'], label: 'Digest of the shift', group: 'Go', act: on(() => go('#/digest')) },
  { keys: ['g', 't'], label: 'Settings', group: 'Go', act: on(() => go('#/settings')) },
  { keys: ['t'], label: 'Theme: light, dark or system', group: 'Page', act: on(nextTheme) },
  { keys: ['?'], label: 'Keyboard shortcuts', group: 'Page', act: on(() => (sheetOpen.value = true)) },
];

/** A decision on many runs, if it was the latest and the run on the screen is one of them. */
function undoJobOf(place: Route): boolean {
  const isOfIt = place.page === 'run' && job.value?.done.some(({ run_id }) => run_id === place.id);
  return isOfIt === true && decided.value === null && undoJob();
}

/** The latest decision, on one run or on many. */
function undoLatest(): boolean {
  return undo() || undoJob();
}

function inbox(view: 'waiting' | 'snoozed' | 'published' | 'rejected'): void {
  setFilter({ view });
  if (route.value.page !== 'inbox' && route.value.page !== 'run') go('#/');
}
