import { isSecretText } from './assignments.js';
import { kindOfKey } from './key-kinds.js';
import { marker } from './markers.js';

/** Reads only up to the next `<`, so that every character is read once. */
const ELEMENT =
  /<(?:[\w-]{1,32}:)?(?<name>[A-Za-z_][\w.-]{1,63})(?:\s[^<>]{0,256})?>(?<value>[^<>]{1,4096})<\//g;

/** Redacts `<password>…</password>`, with or without namespace and attributes, in a text. */
export function redactElements(text: string): { text: string; count: number } {
  let count = 0;
  const out = text.replace(ELEMENT, (found: string, name: string, value: string) => {
    const kind = kindOfKey(name);
    if (kind === null || !isSecretText(value.trim(), kind, name)) return found;
    count++;
    return `${found.slice(0, -value.length - 2)}${marker(kind)}</`;
  });
  return { text: out, count };
}
