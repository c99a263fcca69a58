import type { CrashException } from '../../domain/event.js';
import { readTraceback } from './python-traceback.js';
import {
  finishException,
  headedException,
  PARSE_LIMITS,
  type PartialException,
  partialException,
  splitHeadline,
} from './text.js';

interface Member {
  readonly depth: number;
  readonly lines: string[];
}

/**
 * An exception group: the root's traceback behind a margin of `|`, its members below headings such as `+-+---- 1
 * ----`, each level two columns further in. The result has the ids and parents that Sentry's SDK assigns, with the
 * root last.
 */
export function parsePythonGroup(lines: readonly string[]): readonly CrashException[] {
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
