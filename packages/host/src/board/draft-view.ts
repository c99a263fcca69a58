import type { Draft, Explanation, Run } from '@culprit/core';
import { h, ticked, visible } from './dom.js';

export function explanationView(explanation: Explanation | null): HTMLElement | null {
  if (explanation === null) return null;
  const source =
    explanation.source === 'model' ? `by ${explanation.model ?? 'a model'}` : 'from evidence alone, no model';
  return h(
    'section',
    { class: 'panel explanation' },
    h('h3', {}, 'Explanation ', h('small', {}, visible(source))),
    explanation.insufficient ? h('p', {}, 'The evidence does not carry an explanation.') : null,
    explanation.note === null ? null : h('p', { class: 'hint' }, visible(explanation.note)),
    h(
      'ul',
      {},
      ...explanation.claims.map(({ text, cites }) =>
        h(
          'li',
          {},
          ...(explanation.source === 'template' ? ticked(text) : [visible(text)]),
          h(
            'span',
            { class: 'cites' },
            ...cites.map(({ evidence, quote }) => h('q', { title: evidence, class: 'cite' }, visible(quote))),
          ),
        ),
      ),
    ),
  );
}

/** The text that Gate 2 signs, as it is and not as it will look. */
export function draftView(draft: Draft | null): HTMLElement | null {
  if (draft === null) return null;
  return h(
    'section',
    { class: 'panel draft' },
    h(
      'h3',
      {},
      'Draft ',
      h(
        'small',
        {},
        draft.edited_by === null ? 'as written by Culprit' : `edited by ${visible(draft.edited_by)}`,
      ),
    ),
    h('p', { class: 'draft-title' }, visible(draft.title)),
    h(
      'p',
      { class: 'labels' },
      ...draft.labels.map((label) => h('span', { class: 'label' }, visible(label))),
      ...draft.assignees.map((name) => h('span', { class: 'label person' }, `assign ${visible(name)}`)),
    ),
    h('pre', { class: 'body', tabindex: '0' }, visible(draft.body)),
    h(
      'dl',
      { class: 'facts' },
      fact('Goes to', visible(draft.repository)),
      fact('Digest', h('code', { class: 'digest', title: draft.digest }, draft.digest)),
    ),
    h('p', { class: 'hint' }, 'A trailer with the run, this digest and a marker is added below the body.'),
  );
}

export function factsView(run: Run): HTMLElement {
  const { event } = run;
  return h(
    'dl',
    { class: 'facts' },
    fact('First seen', run.first_seen.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')),
    fact('Last seen', run.last_seen.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')),
    run.releases.length === 0 ? null : fact('Release', releaseWords(run.releases)),
    run.environments.length === 0 ? null : fact('Environment', visible(run.environments.join(', '))),
    fact('Platform', `${visible(run.platform)}, ${run.level}`),
    fact('Came through', doorWords(run.doors)),
    event.redactions === 0 ? null : fact('Redacted', `${event.redactions} values`),
    fact('Run', h('code', {}, run.run_id)),
  );
}

/** A commit as a release is shown short. */
function releaseWords(releases: readonly string[]): string {
  return releases.map((name) => visible(/^[0-9a-f]{40}$/.test(name) ? name.slice(0, 12) : name)).join(', ');
}

/** SDK keys are public: what came only through that door proves nothing about its sender. */
function doorWords(doors: readonly string[]): string {
  const words = doors.join(', ');
  return doors.every((door) => door === 'sdk')
    ? `${words} only: anyone with the public key can send these`
    : words;
}

function fact(name: string, value: Node | string): HTMLElement {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value));
}
