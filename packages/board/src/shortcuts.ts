import { startEditing } from './draft/editor-state.js';
import { goToOffered } from './inbox/advance.js';
import { items, setFilter } from './inbox/inbox-state.js';
import { type Shortcut, sheetOpen } from './keys.js';
import { startMany } from './many/ask-many.js';
import { job, undoJob } from './many/job.js';
import { clearSelection, selectAll, selectToAtHand, toggleAtHand } from './many/selection.js';
import { type Action, start } from './run/action.js';
import { ACTIONS, ALL_ACTIONS } from './run/actions.js';
import { copyBrief } from './run/copy-brief.js';
import { jump } from './run/jump.js';
import { openFrames } from './run/stack-state.js';
import { focusWhenShown } from './run/title-focus.js';
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
  ...ALL_ACTIONS.map(
    (action): Shortcut => ({
      keys: [action.key],
      label: action.help,
      group: 'Run',
      decides: !action.harmless,
      act: () => (action.many !== undefined && startMany(action.many)) || press(action),
    }),
  ),
  { keys: ['y'], label: 'Copy the fix brief', group: 'Run', act: copyBrief },
  { keys: ['e'], label: 'Edit the draft', group: 'Run', act: startEditing },
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
  { keys: ['7'], label: 'Go to the investigation', group: 'Run', act: () => jump('investigation') },
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

/** Undoes what was decided last, where nothing can be undone on the run on the screen. */
function press(action: Action): boolean {
  if (action !== ACTIONS.undo) return start(action);
  return undoJobOf(route.value) || start(action) || undo() || undoJob();
}

/** A decision on many runs, if it was the latest and the run on the screen is one of them. */
function undoJobOf(place: Route): boolean {
  const isOfIt = place.page === 'run' && job.value?.done.some(({ run_id }) => run_id === place.id);
  return isOfIt === true && decided.value === null && undoJob();
}

function inbox(view: 'waiting' | 'snoozed' | 'published' | 'rejected'): void {
  setFilter({ view });
  if (route.value.page !== 'inbox' && route.value.page !== 'run') go('#/');
}
