import type { RunState, RunSummary } from '@culprit/core';
import { h, redraw, visible } from './dom.js';
import { ago, plural } from './format.js';

/** In words, with who has to act. */
export const STATE_WORDS: Readonly<Record<RunState, string>> = {
  staged_raw: 'Gate 1',
  analyzing: 'analysing',
  staged_draft: 'Gate 2',
  publishing: 'publishing',
  published: 'published',
  rejected: 'rejected',
};
export const FILTERS = {
  open: { label: 'Open', states: ['staged_raw', 'analyzing', 'staged_draft', 'publishing'] },
  closed: { label: 'Closed', states: ['published', 'rejected'] },
} as const satisfies Record<string, { label: string; states: readonly RunState[] }>;
export type Filter = keyof typeof FILTERS;

export interface ListView {
  readonly element: HTMLElement;
  draw(runs: readonly RunSummary[], filter: Filter, selected: string | null): void;
}

export function listView(choose: (runId: string) => void, show: (filter: Filter) => void): ListView {
  const tabs = h('div', { class: 'tabs', role: 'group', 'aria-label': 'Which runs' });
  const list = h('ol', { class: 'runs' });
  const element = h('nav', { class: 'list', 'aria-label': 'Runs' }, tabs, list);
  return {
    element,
    draw(runs, filter, selected) {
      redraw(
        tabs,
        ...(Object.keys(FILTERS) as Filter[]).map((name) => tab(name, name === filter, runs, show)),
      );
      const shown = runs.filter(({ state }) => FILTERS[filter].states.some((known) => known === state));
      redraw(list, ...shown.map((run) => item(run, run.run_id === selected, choose)));
      if (shown.length === 0) {
        redraw(list, h('li', { class: 'none' }, filter === 'open' ? 'No open runs.' : 'Nothing closed yet.'));
      }
    },
  };
}

function tab(
  name: Filter,
  on: boolean,
  runs: readonly RunSummary[],
  show: (filter: Filter) => void,
): HTMLElement {
  const { label, states } = FILTERS[name];
  const count = runs.filter(({ state }) => states.some((known) => known === state)).length;
  const element = h(
    'button',
    { type: 'button', 'aria-pressed': String(on), 'data-key': `tab-${name}` },
    label,
    h('span', { class: 'count' }, name === 'open' || count > 0 ? String(count) : ''),
  );
  element.addEventListener('click', () => show(name));
  return element;
}

function item(run: RunSummary, selected: boolean, choose: (runId: string) => void): HTMLElement {
  const open = h(
    'button',
    {
      type: 'button',
      'data-key': run.run_id,
      ...(selected ? { 'aria-current': 'true' } : {}),
    },
    h('span', { class: 'title' }, visible(run.title)),
    h(
      'span',
      { class: 'meta' },
      statePill(run.state),
      h('span', {}, plural(run.occurrences, 'crash', 'crashes')),
      h('time', { datetime: run.last_seen, title: run.last_seen }, ago(run.last_seen)),
      run.project === 'default' ? null : h('span', {}, visible(run.project)),
    ),
  );
  open.addEventListener('click', () => choose(run.run_id));
  return h('li', {}, open);
}

export function statePill(state: RunState): HTMLElement {
  return h('span', { class: 'state', 'data-state': state }, STATE_WORDS[state]);
}
