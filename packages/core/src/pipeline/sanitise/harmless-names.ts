/** Slots of the table of names; a new name replaces the one in its slot. */
const PLACES = 1_024;
const LONGEST = 32;

const chars = new Uint8Array(PLACES * LONGEST);
const lengths = new Uint8Array(PLACES);

/** Letters, digits, `_`, `.` and `$`. */
const IN_NAME = new Uint8Array(128);
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$') {
  IN_NAME[char.charCodeAt(0)] = 1;
}
/** Characters before a name that change its meaning: a URL, an option, an encoded name; also those outside ASCII. */
const SPECIAL = new Uint8Array(128);
for (const char of '?&;%-') SPECIAL[char.charCodeAt(0)] = 1;

/** Where the last name began, -1 if it cannot be cached, and where it ended. */
let from = -1;
let to = 0;
let place = 0;

const isSpace = (code: number | undefined) => code === 32 || code === 9;

/**
 * Whether the name before the separator at `separator`, or before up to two spaces there, is known to be harmless. Only names
 * without special characters around them are cached, so their context does not matter.
 */
export function isKnownHarmless(units: Uint16Array, start: number, separator: number): boolean {
  let end = separator;
  while (end > start && end > separator - 2 && isSpace(units[end - 1])) end--;
  let at = end;
  let hash = 0;
  const least = Math.max(start, end - LONGEST);
  for (; at > least; at--) {
    const code = units[at - 1] ?? 0;
    if (code > 127 || IN_NAME[code] !== 1) break;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  const before = at > start ? (units[at - 1] ?? 0) : 0;
  from = -1;
  if (at === end || (at === least && at > start) || before > 127 || SPECIAL[before] === 1) return false;
  from = at;
  to = end;
  place = (hash ^ (hash >>> 13)) & (PLACES - 1);
  const length = end - at;
  if (lengths[place] !== length) return false;
  for (let index = 0; index < length; index++) {
    if (chars[place * LONGEST + index] !== units[at + index]) return false;
  }
  return true;
}

/** Call right after {@link isKnownHarmless}, once the name was found to be harmless. */
export function rememberHarmless(units: Uint16Array): void {
  if (from === -1) return;
  lengths[place] = to - from;
  for (let index = from; index < to; index++) chars[place * LONGEST + index - from] = units[index] ?? 0;
}
