const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `null`: no UTF-8. */
export function textOf(body: Uint8Array): string | null {
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}

/** With a sign and a dot. More digits than a number can hold would not come back from parsing as they were. */
const LONGEST = 17;
const DASH = 45;
const DOT = 46;
export const ZERO = 48;

export const isDigit = (code: number | undefined): code is number =>
  code !== undefined && code >= ZERO && code <= 57;

/** Where the number that begins at `from` ends; -1 for none and for one that has another form too: `-0`, `1e3`. */
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
  return at - from > LONGEST ? -1 : at;
}
