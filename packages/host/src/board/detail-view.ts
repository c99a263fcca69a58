import type { HistoryEntry, Run } from '@culprit/core';
import { h, redraw, visible } from './dom.js';
import { draftView, explanationView, factsView } from './draft-view.js';
import { plural } from './format.js';
import { type Decide, gatesView } from './gates-view.js';
import { historyView } from './history-view.js';
import { statePill } from './list-view.js';
import { stackView } from './stack-view.js';
import { suspectsView } from './suspects-view.js';

export interface Detail {
  readonly run: Run;
  readonly history: readonly HistoryEntry[];
}

/** One run, everything a reviewer needs to decide. */
export function drawDetail(element: HTMLElement, { run, history }: Detail, decide: Decide): void {
  redraw(
    element,
    h(
      'header',
      { class: 'run-head' },
      h(
        'p',
        { class: 'meta' },
        statePill(run.state),
        h('span', {}, plural(run.occurrences, 'crash', 'crashes')),
        h('span', {}, visible(run.project)),
      ),
      h('h2', { class: 'untrusted', tabindex: '-1', id: 'run-title' }, visible(run.title)),
    ),
    run.last_error === null
      ? null
      : h(
          'p',
          { class: 'notice', role: 'status' },
          visible(run.last_error.detail),
          run.last_error.retryable ? ' Try again.' : '',
        ),
    gatesView(run, decide),
    factsView(run),
    suspectsView(run),
    explanationView(run.explanation),
    draftView(run.draft),
    stackView(run.event),
    historyView(history),
  );
}
