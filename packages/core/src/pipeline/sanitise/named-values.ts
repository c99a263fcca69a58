import type { Named } from './assignments.js';
import { STEPS, spend } from './budget.js';
import { kindOfKey } from './key-kinds.js';

/** A value whose name does not stand right before it, and where it begins. */
interface NamedValue {
  readonly at: number;
  readonly named: Named;
}

/** Whether the value of a member of this name may be the name of another member’s value. */
export const isNaming = (name: string): boolean => /^(?:name|key)$/i.test(name);

const NAME = /[ \t]{0,3}(?<quote>\\{0,7}["']?)(?<name>[\w.$-]{2,64})\k<quote>/y;
const ATTRIBUTES = `(?:\\s{1,8}[\\w-]{1,32}=["'][^"'<>]{0,128}["']){0,6}`;
/** `, "value":`, ` value=`, YAML’s `value:` on the next line; `>` of an element; the empty line of multipart/form-data. */
const VALUE = new RegExp(
  [
    `${ATTRIBUTES}(?:\\s{0,8},)?\\s{1,64}(?:-\\s)?value[ \\t]{0,2}[:=][ \\t]{0,3}`,
    `\\s{0,8},\\s{0,64}\\\\{0,7}["']value\\\\{0,7}["'][ \\t]{0,2}:[ \\t]{0,3}`,
    `[^<>\\r\\n]{0,128}>(?=[^<>]{1,4096}</)`,
    `[^\\r\\n]{0,128}(?:\\r?\\n[^\\r\\n]{1,128}){0,3}\\r?\\n\\r?\\n`,
  ].join('|'),
  'iy',
);

/** The value that `name="password"` or `"key": "X-Api-Key"` names, in what follows. `after` is the place after the separator. */
export function valueOfName(text: string, after: number, { name, at }: Named): NamedValue | null {
  if (!isNaming(name)) return null;
  NAME.lastIndex = after;
  const own = NAME.exec(text)?.groups?.name ?? '';
  if (own === '' || kindOfKey(own) === null) return null;
  spend(STEPS.candidate);
  VALUE.lastIndex = NAME.lastIndex;
  if (!VALUE.test(text)) return null;
  return { at: VALUE.lastIndex, named: { name: own, at, quoted: true } };
}

const OPENED = /(?<![\w$.])[([]\s{0,3}[bu]?\\{0,7}["'`]$/;
const IN_LIST = /[([,]\s{0,3}\\{0,7}["'`]--?$/;
const ITEM =
  /\s{0,3}[bu]?(?<quote>\\{0,7}["'`])(?<value>[^\r\n"'`\\]{1,4096})\k<quote>\s{0,3}(?<end>[)\],])/y;

/**
 * The second of a pair, `('X-Api-Key', 'abc')`, or what follows `'--password'` in a list; the comma is at `comma`. Lists of
 * names are no pairs: what has only letters is no value, nor are sentences, except after the names of headers.
 */
export function pairValue(text: string, comma: number, named: Named): NamedValue | null {
  const kind = kindOfKey(named.name);
  const before = text.slice(Math.max(0, named.at - 16), named.at);
  const isOption = IN_LIST.test(before);
  if (kind === null || !(isOption || OPENED.test(before))) return null;
  ITEM.lastIndex = comma + 1;
  const { value = '', end = '' } = ITEM.exec(text)?.groups ?? {};
  if (end === '' || (end === ',' && !isOption)) return null;
  spend(STEPS.candidate + STEPS.value * value.length);
  const isValue =
    isOption || (/[^A-Za-z_-]/.test(value) && (kind === 'auth' || kind === 'cookie' || !/\s/.test(value)));
  return isValue ? { at: comma + 1, named } : null;
}
