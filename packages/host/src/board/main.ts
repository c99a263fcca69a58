import type { RunSummary } from '@culprit/core';
import { ApiError, api } from './api.js';
import { type Detail, drawDetail } from './detail-view.js';
import { button, h, redraw } from './dom.js';
import { emptyView } from './empty-view.js';
import { followFeed, type GuardFigures } from './feed.js';
import { FILTERS, type Filter, listView } from './list-view.js';
import { signInForm } from './sign-in.js';

const NAME_KEY = 'culprit.reviewer';
const part = (id: string): HTMLElement => document.getElementById(id) ?? document.body;

const runs = new Map<string, RunSummary>();
let filter: Filter = 'open';
let selected: string | null = null;
let detail: Detail | null = null;
let guards: readonly GuardFigures[] = [];
let stopFeed: (() => void) | null = null;
let busy = false;

const list = listView(select, showFilter);
const pane = h('article', { class: 'detail', id: 'detail', 'aria-live': 'off' });

function latest(): RunSummary[] {
  return [...runs.values()].sort(
    (a, b) => b.updated_at.localeCompare(a.updated_at) || a.run_id.localeCompare(b.run_id),
  );
}

function draw(): void {
  const all = latest();
  list.draw(all, filter, selected);
  const waiting = all.filter(({ state }) => state === 'staged_raw' || state === 'staged_draft').length;
  document.title = waiting === 0 ? 'Culprit' : `(${waiting}) Culprit`;
  if (detail !== null && detail.run.run_id === selected) drawDetail(pane, detail, decide);
  else if (all.length === 0) redraw(pane, emptyView(edgeUrl()));
  else redraw(pane, h('p', { class: 'none' }, 'Choose a run.'));
}

/** The edge tells core where it listens, where it says so; otherwise it is where it usually is. */
function edgeUrl(): string {
  const told = guards[0]?.figures.url;
  return typeof told === 'string' ? told : `${location.protocol}//${location.hostname}:8001`;
}

async function select(runId: string): Promise<void> {
  selected = runId;
  history.replaceState(null, '', `#${runId}`);
  draw();
  await load(runId);
  document.body.classList.add('reading');
  document.getElementById('run-title')?.focus();
}

async function load(runId: string): Promise<void> {
  try {
    const [run, { entries }] = await Promise.all([api.run(runId), api.history(runId)]);
    if (selected !== runId) return;
    detail = { run, history: entries };
    draw();
  } catch (error) {
    report(error);
  }
}

async function showFilter(next: Filter): Promise<void> {
  filter = next;
  if (next === 'closed') {
    try {
      for (const run of (await api.closed()).runs) runs.set(run.run_id, run);
    } catch (error) {
      report(error);
    }
  }
  draw();
}

/** One decision at a time; whatever comes of it, the run is read again. */
function decide(work: () => Promise<unknown>): void {
  if (busy) return;
  busy = true;
  document.body.classList.add('busy');
  notice(null);
  work()
    .catch(report)
    .finally(() => {
      busy = false;
      document.body.classList.remove('busy');
      if (selected !== null) void load(selected);
    });
}

function report(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) signedOut();
  else notice(error instanceof Error ? error.message : String(error));
}

function notice(text: string | null): void {
  const element = part('notice');
  element.hidden = text === null;
  element.textContent = text ?? '';
}

function start(): void {
  redraw(
    part('who'),
    h('span', {}, localStorage.getItem(NAME_KEY) ?? ''),
    button(
      'Sign out',
      'sign-out',
      'plain',
      () =>
        void api
          .signOut()
          .catch(() => {})
          .then(signedOut),
    ),
  );
  redraw(part('main'), list.element, pane);
  draw();
  stopFeed?.();
  stopFeed = followFeed({
    snapshot(open) {
      for (const [id, { state }] of runs)
        if (FILTERS.open.states.some((known) => known === state)) runs.delete(id);
      for (const run of open) runs.set(run.run_id, run);
      openFromAddress();
      draw();
      if (selected !== null) void load(selected);
    },
    run(run) {
      runs.set(run.run_id, run);
      draw();
      if (run.run_id === selected && !busy) void load(run.run_id);
    },
    guard(figures) {
      guards = figures;
      if (runs.size === 0) draw();
    },
    state(state, text) {
      const element = part('connection');
      element.dataset.state = state;
      if (element.textContent !== text) element.textContent = text;
    },
    signedOut,
  });
}

function openFromAddress(): void {
  const asked = location.hash.slice(1);
  if (selected === null && /^[A-Za-z0-9_-]{1,64}$/.test(asked)) selected = asked;
}

function signedOut(): void {
  stopFeed?.();
  stopFeed = null;
  runs.clear();
  detail = null;
  selected = null;
  localStorage.removeItem(NAME_KEY);
  redraw(part('who'));
  redraw(
    part('main'),
    signInForm((name) => {
      localStorage.setItem(NAME_KEY, name);
      notice(null);
      start();
    }),
  );
}

part('connection').dataset.state = 'off';
part('connection').textContent = 'not connected';
api.probe().then(start, (error: unknown) => {
  signedOut();
  if (!(error instanceof ApiError && error.status === 401)) report(error);
});
window.setInterval(() => {
  if (stopFeed !== null) list.draw(latest(), filter, selected);
}, 30_000);
