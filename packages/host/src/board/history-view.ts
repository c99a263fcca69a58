import type { HistoryEntry } from '@culprit/core';
import { h, visible } from './dom.js';
import { exact } from './format.js';

/** Decisions and steps, oldest first. */
export function historyView(entries: readonly HistoryEntry[]): HTMLElement | null {
  if (entries.length === 0) return null;
  return h(
    'section',
    { class: 'panel history' },
    h(
      'details',
      { 'data-key': 'history' },
      h('summary', {}, h('h3', {}, 'History ', h('small', {}, String(entries.length)))),
      h('ol', {}, ...entries.map(entryView)),
    ),
  );
}

function entryView(entry: HistoryEntry): HTMLElement {
  const who = entry.by === null ? '' : ` by ${visible(entry.by)} (${entry.via})`;
  const move = entry.to === null || entry.to === entry.from ? '' : ` → ${entry.to}`;
  const reason = entry.detail.reason;
  return h(
    'li',
    { class: entry.kind },
    h('time', { datetime: entry.at }, exact(entry.at)),
    h('span', {}, h('code', {}, entry.name), `${who}${move}`, entry.ms === null ? '' : `, ${entry.ms} ms`),
    entry.digest === null
      ? null
      : h('code', { class: 'hint', title: entry.digest }, entry.digest.slice(0, 12)),
    typeof reason === 'string' ? h('q', {}, visible(reason)) : null,
    entry.error === null ? null : h('span', { class: 'problem' }, visible(entry.error.detail)),
  );
}
