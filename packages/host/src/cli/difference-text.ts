import type { DraftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import { print, styleFor } from '../log/terminal.js';
import { clipped } from './print.js';

/** What was changed in a draft: title, labels, assignees, and the body as a unified diff. */
export function printChanges({ machine, current, labels, assignees, body }: DraftDifference): void {
  const style = styleFor(process.stdout);
  const put = (sign: '-' | '+', text: string) =>
    print(`${style(sign === '-' ? 'red' : 'green', `${sign}${text}`)}\n`);
  if (machine.title !== current.title) {
    put('-', `title: ${clipped(machine.title, 256)}`);
    put('+', `title: ${clipped(current.title, 256)}`);
  }
  for (const [name, { removed, added }] of Object.entries({ labels, assignees })) {
    for (const one of removed) put('-', `${name}: ${clipped(one, 60)}`);
    for (const one of added) put('+', `${name}: ${clipped(one, 60)}`);
  }
  for (const line of body.split('\n')) {
    if (/^[-+]/.test(line)) put(line.startsWith('-') ? '-' : '+', line.slice(1));
    else if (line !== '') print(`${line.startsWith('@@') ? style('cyan', line) : line}\n`);
  }
}
