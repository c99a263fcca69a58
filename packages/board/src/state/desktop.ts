import type { RunSummary } from '@culprit/core';
import { signal } from '@preact/signals';
import { plural } from '../format.js';
import { visible } from '../parts/text.js';
import { complete, onChange } from './feed.js';
import { go } from './route.js';
import { notice } from './session.js';
import { storedPreference, storePreference } from './theme.js';

const KEY = 'culprit.desktop';
/** Events within this time are shown together. */
const GATHER_MS = 2_000;
/** More events than this become one notification. */
const MAX = 3;
const TITLE_CHARS = 120;

/** Whether this browser shows desktop notifications of the board. */
export const desktop = signal(allowed() && storedPreference(KEY) === 'on');

function allowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted';
}

/** Turns them on or off. Turning them on asks for the permission, which browsers only do after a click. */
export async function toggleDesktop(): Promise<void> {
  if (desktop.value) {
    set(false);
    return;
  }
  if (!('Notification' in window) || !window.isSecureContext) {
    say(
      'This browser shows desktop notifications only for pages that are loaded over HTTPS or from localhost.',
    );
    return;
  }
  const answer = await Notification.requestPermission();
  if (answer === 'granted') set(true);
  else
    say('The browser blocks desktop notifications for this page. Allow them in its settings for this site.');
}

function set(on: boolean): void {
  desktop.value = on;
  storePreference(KEY, on ? 'on' : 'off');
}

function say(text: string): void {
  notice.value = { tone: 'red', text };
}

interface Waiting {
  readonly run: RunSummary;
  readonly words: string;
}
let gathered = new Map<string, Waiting>();
let timer = 0;
let open: Notification[] = [];

/** What a reviewer should come back for; `null` for any other change. */
export function wordsFor(run: RunSummary, before: RunSummary | null): string | null {
  if (run.state === before?.state) return null;
  if (run.state === 'staged_draft') return 'A draft waits at Gate 2';
  if (run.state !== 'staged_raw') return null;
  if (before === null) return run.regression_of === null ? 'A run waits at Gate 1' : 'A regression';
  if (before.state === 'analyzing') return 'An analysis failed';
  return run.returned ? 'A reviewer returned a draft' : 'A run is back at Gate 1';
}

onChange((run, before) => {
  const words = wordsFor(run, before);
  // It has been decided meanwhile.
  if (words === null && run.state !== before?.state) gathered.delete(run.run_id);
  // Runs that a new page has not read yet are not news.
  if (words === null || !desktop.value || !complete.value || isInFront()) return;
  gathered.set(run.run_id, { run, words });
  if (timer === 0) timer = window.setTimeout(showGathered, GATHER_MS);
});

function isInFront(): boolean {
  return !document.hidden && document.hasFocus();
}

function showGathered(): void {
  const all = [...gathered.values()];
  gathered = new Map();
  timer = 0;
  if (all.length > MAX) {
    const regressions = all.filter(({ run }) => run.regression_of !== null).length;
    const rest = regressions === 0 ? '' : `${plural(regressions, 'regression')} among them`;
    show(`${plural(all.length, 'run')} to review`, rest, 'many', '#/');
    return;
  }
  for (const { run, words } of all) {
    show(words, visible(run.title).slice(0, TITLE_CHARS), `${run.run_id} ${run.state}`, `#${run.run_id}`);
  }
}

/** `tag`: tabs of this board that show the same one replace each other's. */
function show(title: string, body: string, tag: string, address: string): void {
  let one: Notification;
  try {
    one = new Notification(title, { body, tag: `culprit ${tag}` });
  } catch {
    // Browsers of phones allow them only in a service worker.
    set(false);
    say('This browser does not support desktop notifications.');
    return;
  }
  one.onclick = () => {
    window.focus();
    go(address);
    one.close();
  };
  one.onclose = () => {
    open = open.filter((other) => other !== one);
  };
  open.push(one);
  // Never more than a few on the screen.
  for (const old of open.slice(0, -MAX)) old.close();
  open = open.slice(-MAX);
}
