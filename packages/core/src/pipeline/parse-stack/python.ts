import type { CrashException } from '../../domain/event.js';
import { readFrameLine, readTraceback } from './python-traceback.js';
import {
  finishException,
  headedException,
  PARSE_LIMITS,
  type PartialException,
  partialException,
  splitHeadline,
} from './text.js';

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

interface Member {
  readonly depth: number;
  readonly lines: string[];
}

/**
 * An exception group: the root's traceback behind a margin of `|`, its members below headings such as `+-+---- 1
 * ----`, each level two columns further in. The result has the ids and parents that Sentry's SDK assigns, with the
 * root last.
 */
function parsePythonGroup(lines: readonly string[]): readonly CrashException[] {
  const members = split(lines).slice(0, PARSE_LIMITS.exceptions);
  const parents: number[] = [];
  const exceptions = members.map(({ depth, lines: own }, id): CrashException => {
    parents[depth] = id;
    const draft = draftOf(own);
    const group = (members[id + 1]?.depth ?? 0) > depth;
    draft.value = draft.value.map((line) => line.replace(/ \(\d+ sub-exceptions?\)$/, ''));
    const parent = depth === 0 ? {} : { parent_id: parents[depth - 1] ?? 0 };
    const tree = {
      type: 'chained',
      exception_id: id,
      ...parent,
      ...(group ? { is_exception_group: true } : {}),
    };
    return { ...finishException(draft, 'oldest'), mechanism: tree };
  });
  return exceptions.reverse();
}

function split(lines: readonly string[]): readonly Member[] {
  const members: Member[] = [{ depth: 0, lines: [] }];
  for (const line of lines) {
    const heading = /^(\s*)\+(-\+)?-{4,} (?:\d{1,6}|\.\.\.) -{4,}$/.exec(line.trimEnd());
    if (heading !== null) {
      const column = (heading[1] ?? '').length + (heading[2] === undefined ? 0 : 2);
      members.push({ depth: Math.max(1, Math.min(Math.floor(column / 2) - 1, 60)), lines: [] });
      continue;
    }
    const margin = /^\s*[|+] ?/.exec(line);
    if (margin !== null && !/^\s*\+-{4,}$/.test(line.trimEnd()))
      members.at(-1)?.lines.push(line.slice(margin[0].length));
  }
  return members;
}

function draftOf(lines: readonly string[]): PartialException {
  const start = lines.findIndex((line) => line.endsWith('Traceback (most recent call last):'));
  if (start >= 0) return readTraceback(lines, start + 1).draft;
  const [first = '', ...rest] = lines;
  return splitHeadline(first) === null ? partialException(null, [first]) : headedException(first, rest);
}
