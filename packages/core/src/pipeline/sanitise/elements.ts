import { isSecretText } from './assignments.js';
import type { Cut } from './cuts.js';
import { kindOfKey } from './key-kinds.js';

/** Reads only up to the next `<`, so that every character is read once. */
const ELEMENT =
  /<(?:[\w-]{1,32}:)?(?<name>[A-Za-z_][\w.-]{1,63})(?:\s[^<>]{0,256})?>(?<value>[^<>]{1,4096})<\//g;

/** Finds the value of `<password>…</password>`, with or without namespace and attributes, in a text. */
export function findElements(text: string): readonly Cut[] {
  const cuts: Cut[] = [];
  for (const found of text.matchAll(ELEMENT)) {
    const { name = '', value = '' } = found.groups ?? {};
    const kind = kindOfKey(name);
    if (kind === null || !isSecretText(value.trim(), kind, name)) continue;
    const to = found.index + found[0].length - '</'.length;
    cuts.push({ from: to - value.length, to, kind });
  }
  return cuts;
}
