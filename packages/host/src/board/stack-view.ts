import type { CrashException, Event, Frame } from '@culprit/core';
import { h, visible } from './dom.js';

/** The stack as it crashed: what threw on top, the project's own code marked. */
export function stackView(event: Event): HTMLElement {
  const raised = [...event.exceptions].reverse();
  return h(
    'section',
    { class: 'panel stack' },
    h('h3', {}, 'What crashed'),
    raised.length === 0 ? h('p', { class: 'untrusted' }, visible(event.message ?? 'No message.')) : null,
    ...raised.map(exceptionView),
  );
}

function exceptionView(exception: CrashException, index: number): HTMLElement {
  const frames = [...exception.frames].reverse();
  const heading = h(
    'p',
    { class: 'untrusted raised' },
    index === 0 ? null : h('span', { class: 'cause' }, 'caused by '),
    h('strong', {}, visible(exception.type ?? 'Error')),
    exception.value === null ? null : `: ${visible(exception.value)}`,
  );
  if (frames.length === 0) return h('div', {}, heading, h('p', { class: 'hint' }, 'It carries no stack.'));
  return h('div', {}, heading, h('ol', { class: 'frames' }, ...frames.map(frameView)));
}

function frameView(frame: Frame): HTMLElement {
  const place = `${frame.file ?? frame.module ?? frame.package ?? 'unknown'}${frame.line === null ? '' : `:${frame.line}`}`;
  return h(
    'li',
    { class: frame.in_app === true ? 'own' : 'foreign' },
    h('code', { class: 'function' }, visible(frame.function ?? '(anonymous)')),
    h('code', { class: 'place' }, visible(place)),
    frame.context_line === null ? null : h('pre', { class: 'line' }, visible(frame.context_line.trim())),
  );
}
