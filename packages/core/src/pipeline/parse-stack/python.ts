import type { CrashException } from '../../domain/event.js';
import { parsePythonGroup } from './python-group.js';
import { readFrameLine, readTraceback } from './python-traceback.js';
import { finishException, type PartialException } from './text.js';

const TRACEBACK = 'Traceback (most recent call last):';
const WHILE_HANDLING = 'During handling of the above exception, another exception occurred:';
const CAUSED = 'The above exception was the direct cause of the following exception:';

/**
 * Python's tracebacks, oldest frame first; the exception that was raised last is printed last. Of several unchained
 * tracebacks, the last one counts. An exception raised while another was handled is distinguished from a cause by its
 * mechanism, as in Sentry's SDK.
 */
export function parsePython(lines: readonly string[]): readonly CrashException[] {
  const group = lines.findLastIndex((line) => line.trim() === `+ Exception Group ${TRACEBACK}`);
  if (group >= 0) return parsePythonGroup(lines.slice(group));
  let chain: PartialException[] = [];
  let linked = false;
  const handled = new Set<PartialException>();
  for (let index = 0; index < lines.length; ) {
    const line = (lines[index] ?? '').trim();
    if (line === WHILE_HANDLING || line === CAUSED) {
      linked = true;
      const above = chain.at(-1);
      if (above && line === WHILE_HANDLING) handled.add(above);
    }
    if (line !== TRACEBACK && !(chain.length === 0 && readFrameLine(lines[index] ?? '') !== null)) {
      index++;
      continue;
    }
    const { draft, next } = readTraceback(lines, line === TRACEBACK ? index + 1 : index);
    chain = linked ? [...chain.slice(-49), draft] : [draft];
    linked = false;
    index = Math.max(next, index + 1);
  }
  return chain
    .filter(({ frames }) => frames.length > 0)
    .map((draft) => ({
      ...finishException(draft, 'oldest'),
      mechanism: handled.has(draft) ? { type: 'chained', source: '__context__' } : null,
    }));
}
