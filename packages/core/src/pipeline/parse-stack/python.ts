import type { CrashException } from '../../domain/event.js';
import { parsePythonGroup } from './python-group.js';
import { readFrameLine, readTraceback } from './python-traceback.js';
import { type Draft, finishDraft } from './text.js';

const TRACEBACK = 'Traceback (most recent call last):';
const CHAINED = [
  'During handling of the above exception, another exception occurred:',
  'The above exception was the direct cause of the following exception:',
];

/**
 * Python's tracebacks, oldest frame first, the exception that was raised last printed last. Of several tracebacks
 * that no sentence chains, the last one counts.
 */
export function parsePython(lines: readonly string[]): readonly CrashException[] {
  const group = lines.findLastIndex((line) => line.trim() === `+ Exception Group ${TRACEBACK}`);
  if (group >= 0) return parsePythonGroup(lines.slice(group));
  let chain: Draft[] = [];
  let linked = false;
  for (let index = 0; index < lines.length; ) {
    const line = (lines[index] ?? '').trim();
    if (CHAINED.includes(line)) linked = true;
    if (line !== TRACEBACK && !(chain.length === 0 && readFrameLine(lines[index] ?? '') !== null)) {
      index++;
      continue;
    }
    const { draft, next } = readTraceback(lines, line === TRACEBACK ? index + 1 : index);
    chain = linked ? [...chain.slice(-49), draft] : [draft];
    linked = false;
    index = Math.max(next, index + 1);
  }
  return chain.filter(({ frames }) => frames.length > 0).map((draft) => finishDraft(draft, 'oldest'));
}
