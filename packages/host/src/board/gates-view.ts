import type { Run } from '@culprit/core';
import { api } from './api.js';
import { ask } from './ask.js';
import { button, h, link, visible } from './dom.js';

/** Does one decision; shows what core answers. */
export type Decide = (work: () => Promise<unknown>) => void;

/** What a reviewer can do now, and what happens meanwhile. */
export function gatesView(run: Run, decide: Decide): HTMLElement {
  switch (run.state) {
    case 'staged_raw':
      return gate(
        'Gate 1',
        run.cycle > 1
          ? 'The run came back. Opening the gate analyses it anew.'
          : 'Is this worth a look? Opening the gate reads the code’s history and writes a draft. Nothing is published.',
        button('Open Gate 1', 'gate1-approve', 'primary', () => decide(() => openGateOne(run))),
        button('Reject…', 'gate1-reject', 'plain', () => decide(() => rejectGateOne(run))),
      );
    case 'analyzing':
      return gate('Analysing', 'Blame runs over the history and a draft is written. This page follows.');
    case 'staged_draft':
      return gate(
        'Gate 2',
        'Read the draft. What you sign is what is published, byte for byte, once.',
        button('Sign and publish…', 'gate2-approve', 'primary', () => decide(() => openGateTwo(run))),
        button('Back to Gate 1…', 'gate2-return', 'plain', () =>
          decide(() => rejectGateTwo(run, 'staged_raw')),
        ),
        button('Reject…', 'gate2-reject', 'plain', () => decide(() => rejectGateTwo(run, 'rejected'))),
      );
    case 'publishing':
      return gate('Publishing', 'It is signed. The issue is created as soon as the code host allows it.');
    case 'published':
      return publishedView(run);
    case 'rejected':
      return gate('Rejected', 'The same crash stays quiet for a while and is still counted.');
  }
}

function gate(name: string, words: string, ...buttons: readonly HTMLElement[]): HTMLElement {
  return h(
    'section',
    { class: 'gate', 'data-gate': name },
    h('div', {}, h('h3', {}, name), h('p', {}, words)),
    buttons.length === 0 ? null : h('div', { class: 'actions' }, ...buttons),
  );
}

function publishedView({ publication }: Run): HTMLElement {
  if (publication === null) return gate('Published', '');
  const { issue_url, number, divergence } = publication;
  return h(
    'section',
    { class: 'gate', 'data-gate': 'Published' },
    h(
      'div',
      {},
      h('h3', {}, 'Published'),
      h('p', {}, link(issue_url, `Issue #${number}`), ` ${visible(issue_url)}`),
      divergence.length === 0 ? null : h('p', {}, 'The code host changed something:'),
      divergence.length === 0 ? null : h('ul', {}, ...divergence.map((what) => h('li', {}, visible(what)))),
    ),
  );
}

async function openGateOne(run: Run): Promise<void> {
  const yes = await ask({
    title: 'Open Gate 1?',
    content: [
      h('p', { class: 'untrusted' }, visible(run.title)),
      h(
        'p',
        {},
        'The history of the repository is read and a draft is written. You see it before anything is published.',
      ),
    ],
    confirm: 'Open Gate 1',
  });
  if (yes !== null) await api.approveGateOne(run.run_id);
}

async function rejectGateOne(run: Run): Promise<void> {
  const reason = await ask({
    title: 'Reject this run?',
    content: [h('p', { class: 'untrusted' }, visible(run.title))],
    confirm: 'Reject',
    danger: true,
    reason: 'Why? It is kept in the history.',
  });
  if (reason !== null) await api.rejectGateOne(run.run_id, reason);
}

async function openGateTwo(run: Run): Promise<void> {
  const { draft } = run;
  if (draft === null) return;
  const yes = await ask({
    title: 'Sign and publish this draft?',
    content: [
      h('p', { class: 'untrusted' }, visible(draft.title)),
      h(
        'p',
        {},
        'One issue is created in ',
        h('strong', {}, visible(draft.repository)),
        '. It cannot be taken back from here.',
      ),
      h(
        'p',
        { class: 'hint' },
        'You sign ',
        h('code', { title: draft.digest }, draft.digest.slice(0, 16)),
        '. If the draft was changed meanwhile, nothing happens.',
      ),
    ],
    confirm: 'Sign and publish',
  });
  if (yes !== null) await api.approveGateTwo(run.run_id, draft);
}

async function rejectGateTwo(run: Run, to: 'staged_raw' | 'rejected'): Promise<void> {
  const back = to === 'staged_raw';
  const reason = await ask({
    title: back ? 'Send this run back to Gate 1?' : 'Reject this run?',
    content: [
      h('p', { class: 'untrusted' }, visible(run.title)),
      back ? h('p', {}, 'The draft is dropped; the next opening of Gate 1 writes a new one.') : null,
    ],
    confirm: back ? 'Send back' : 'Reject',
    danger: true,
    reason: 'Why? It is kept in the history.',
  });
  if (reason !== null) await api.rejectGateTwo(run.run_id, reason, to);
}
