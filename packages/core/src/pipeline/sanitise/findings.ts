import { jsonPath } from '../crash-object/fit-shape.js';
import { goesByName } from './leaf.js';
import type { Finder, Way } from './walk.js';

/** A place where the sanitiser redacts something. */
export interface Finding {
  /** `exception.values[0].value`, with sanitised names. Empty: the document itself. */
  readonly path: string;
  /** `name`: the whole value is redacted because of its name. `match`: a part of the text is. */
  readonly because: 'name' | 'match';
  /** The name that caused it, for `name`. */
  readonly name: string | null;
  /** Whether it was in the member's name instead of its value. */
  readonly in_name: boolean;
  /** Ids of the rules, in order. */
  readonly rules: readonly string[];
  /** The redacted parts in plain text: handle with care. */
  readonly taken: readonly string[];
  /** The text after redaction. */
  readonly after: string;
}

const MARKER = /\[redacted:([a-z0-9_-]{1,40})\]/g;

export function findingOf({ way, inName, place, before, after }: Parameters<Finder>[0]): Finding {
  const byName = !inName && goesByName(before, place);
  const [was, is] = [textOf(before), textOf(after)];
  const parts = byName ? [{ rule: place.kind ?? '', text: was }] : takenOut(was, is);
  return {
    path: pathOf(way),
    because: byName ? 'name' : 'match',
    name: byName ? place.facts.clean : null,
    in_name: inName,
    rules: parts.map(({ rule }) => rule),
    taken: parts.map(({ text }) => text),
    after: is,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The redacted parts: what the markers replaced, found between the unchanged parts of the text. */
function takenOut(before: string, after: string): readonly { rule: string; text: string }[] {
  const parts: { rule: string; text: string }[] = [];
  let at = 0;
  let done = 0;
  const markers = [...after.matchAll(MARKER)];
  for (const [index, found] of markers.entries()) {
    at += found.index - done;
    done = found.index + found[0].length;
    const stays = after.slice(done, markers[index + 1]?.index ?? after.length);
    if (before.startsWith(found[0], at)) {
      at += found[0].length;
      continue;
    }
    const end = index === markers.length - 1 ? before.length - stays.length : before.indexOf(stays, at + 1);
    const text = before.slice(at, end < at ? before.length : end);
    parts.push({ rule: found[1] ?? '', text });
    at += text.length;
  }
  return parts;
}

function pathOf(way: Way | null): string {
  const keys: (string | number)[] = [];
  for (let at = way; at !== null; at = at.outer) keys.push(at.key);
  return jsonPath(keys.reverse());
}
