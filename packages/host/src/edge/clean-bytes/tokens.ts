const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `null`: not UTF-8. */
export function textOf(body: Uint8Array): string | null {
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}

/** Characters of a number, sign and dot included. A longer number could change when parsed. */
const MAX_NUMBER_CHARS = 17;
const DASH = 45;
const DOT = 46;
export const ZERO = 48;

export const isDigit = (code: number | undefined): code is number =>
  code !== undefined && code >= ZERO && code <= 57;

/** Where the number that begins at `from` ends; -1 if it is invalid or can be written in another way: `-0`, `1e3`. */
export function numberEnd(units: Uint16Array, from: number): number {
  let at = from;
  if (units[at] === DASH) at++;
  const first = at;
  while (isDigit(units[at])) at++;
  if (at === first || (units[first] === ZERO && at - from > 1)) return -1;
  if (units[at] === DOT) {
    const fraction = ++at;
    while (isDigit(units[at])) at++;
    if (at === fraction) return -1;
  }
  return at - from > MAX_NUMBER_CHARS ? -1 : at;
}
