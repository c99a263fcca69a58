/**
 * Whether the @ at `index` may end a mailbox's name or a password, in a text that begins at `start`. An @ at the start of a
 * word (`/@sentry/node`, `'@scope`) ends neither. After an apostrophe it may end a mailbox, whose name may hold one; after a
 * slash, a password that ends in one.
 */
export function endsMailboxOrPassword(units: Uint16Array, index: number, start: number): boolean {
  const before = units[index - 1] ?? 0;
  if (before === 39) return index - 1 > start && isMailboxChar(units[index - 2] ?? 0);
  if (before === 47) return isInPassword(units, index, start);
  return !isBlankOrQuote(before);
}

const isBlankOrQuote = (code: number) => code === 32 || (code >= 9 && code <= 13) || code === 34;
const PASSWORD_CHARS = 256;

/** Whether a colon other than that of `://` is before the @ in the same word. */
function isInPassword(units: Uint16Array, index: number, start: number): boolean {
  const least = Math.max(start, index - PASSWORD_CHARS - 1);
  for (let at = index - 1; at >= least; at--) {
    const code = units[at] ?? 0;
    if (isBlankOrQuote(code)) return false;
    if (code === 58 && !(units[at + 1] === 47 && units[at + 2] === 47)) return true;
  }
  return false;
}

/** Letters, digits and `_ . % + ' -`. */
const isMailboxChar = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  isMailboxSign(code);
const isMailboxSign = (code: number) =>
  code === 95 || code === 46 || code === 37 || code === 43 || code === 39 || code === 45;
