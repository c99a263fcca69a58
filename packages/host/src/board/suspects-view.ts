import type { Hunk, Run, Suspect } from '@culprit/core';
import { h, link, ticked, visible } from './dom.js';
import { ago, percent } from './format.js';

const VERDICTS = { auto: 'strong', likely: 'likely', recent: 'recent change' } as const;

/** Commits with their reasons, best first, or why there are none. */
export function suspectsView(run: Run): HTMLElement | null {
  if (run.revision === null && run.no_suspect === null && run.suspects.length === 0) return null;
  const { revision } = run;
  return h(
    'section',
    { class: 'panel suspects' },
    h('h3', {}, 'Suspects'),
    revision === null
      ? null
      : h(
          'p',
          { class: 'hint' },
          'Blamed at ',
          h('code', {}, revision.sha.slice(0, 10)),
          howWords(revision.how),
        ),
    run.no_suspect === null ? null : h('p', {}, visible(run.no_suspect.detail)),
    run.suspects.length === 0 ? null : h('ol', {}, ...run.suspects.map(suspectView)),
  );
}

function howWords(how: string): string {
  return how === 'head' ? ', the newest commit: the crash did not say which one ran' : `, known by ${how}`;
}

function suspectView(suspect: Suspect, index: number): HTMLElement {
  const { sha, title, author, committed_at, url, probability, verdict, reasons, hunk } = suspect;
  return h(
    'li',
    { class: 'suspect', 'data-verdict': verdict },
    h(
      'div',
      { class: 'head' },
      h('code', { class: 'sha' }, link(url, sha.slice(0, 10))),
      h('span', { class: 'title' }, visible(title)),
      h('span', { class: 'share' }, h('b', {}, percent(probability)), ` ${VERDICTS[verdict]}`),
    ),
    h(
      'p',
      { class: 'hint' },
      visible(author.name),
      ', ',
      h('time', { title: committed_at }, ago(committed_at)),
    ),
    h('ul', { class: 'reasons' }, ...reasons.map((reason) => h('li', {}, ...ticked(reason)))),
    hunk === null ? null : hunkView(hunk, sha, index === 0),
  );
}

function hunkView(hunk: Hunk, sha: string, open: boolean): HTMLElement {
  const signs = { context: ' ', added: '+', removed: '-' } as const;
  const lines = hunk.lines.map(({ kind, text, line, crashed }) =>
    h(
      'span',
      { class: `diff ${kind}${crashed ? ' crashed' : ''}` },
      h('i', {}, line === null ? '' : String(line)),
      `${signs[kind]}${visible(text)}`,
      crashed ? h('em', {}, 'crashed here') : null,
    ),
  );
  return h(
    'details',
    { 'data-key': `hunk-${sha}`, ...(open ? { open: '' } : {}) },
    h(
      'summary',
      {},
      h('code', {}, visible(hunk.path)),
      ' ',
      h('code', { class: 'header' }, visible(hunk.header)),
    ),
    h('pre', { class: 'hunk', tabindex: '0' }, h('code', {}, ...lines)),
  );
}
