import { isSpent, STEPS, spend, uncheckedFrom } from './budget.js';
import type { Cut } from './cuts.js';
import { kindOfKey } from './key-kinds.js';
import { isSecretText } from './secret-values.js';

const OPEN = /<(?:[\w-]{1,32}:)?(?<name>[A-Za-z_][\w.-]{1,63})(?:\s[^<>]{0,256})?>/g;
/** A longer text is judged by its first characters. */
const JUDGED_CHARS = 4096;
const CDATA = /\s{0,64}<!\[CDATA\[/y;

/** Finds the value of `<password>…</password>`, with or without namespace, attributes and CDATA, in a text. */
export function findElements(text: string): readonly Cut[] {
  const cuts: Cut[] = [];
  OPEN.lastIndex = 0;
  for (let open = OPEN.exec(text); open !== null; open = OPEN.exec(text)) {
    const { name = '' } = open.groups ?? {};
    spend(STEPS.candidate);
    if (isSpent()) return [...cuts, uncheckedFrom(text, open.index)];
    const kind = kindOfKey(name);
    if (kind === null) continue;
    const { from, to, next } = contentAt(text, OPEN.lastIndex);
    OPEN.lastIndex = next;
    const judged = text.slice(from, Math.min(to, from + JUDGED_CHARS)).trim();
    if (from < to && isSecretText(judged, kind, name)) cuts.push({ from, to, kind });
  }
  return cuts;
}

interface Content {
  readonly from: number;
  readonly to: number;
  /** Where to go on: no character is read twice. */
  readonly next: number;
}

/** The text up to the closing tag, or to the end of a CDATA section. */
function contentAt(text: string, start: number): Content {
  CDATA.lastIndex = start;
  if (CDATA.test(text)) {
    const from = CDATA.lastIndex;
    const end = text.indexOf(']]>', from);
    const to = end < 0 ? text.length : end;
    return { from, to, next: to };
  }
  const end = text.indexOf('<', start);
  const next = end < 0 ? text.length : end;
  return { from: start, to: text.charAt(next + 1) === '/' ? next : start, next };
}
