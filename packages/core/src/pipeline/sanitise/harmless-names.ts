/** Names are kept by their characters in a table of this many places; a newcomer takes the place of another. */
const PLACES = 1_024;
const LONGEST = 32;

const chars = new Uint8Array(PLACES * LONGEST);
const lengths = new Uint8Array(PLACES);

/** Letters, digits, `_`, `.` and `$`. */
const IN_NAME = new Uint8Array(128);
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$') {
  IN_NAME[char.charCodeAt(0)] = 1;
}
/** What stands before a name where a separator may tell more than the name: an address, an option, an encoded one. */
const SPECIAL = new Uint8Array(128);
for (const char of '?&;%-') SPECIAL[char.charCodeAt(0)] = 1;

/** Where the name of the last look began; -1: it is none for this table. */
let from = -1;
let place = 0;

/**
 * Is the name right before the separator at `end` one that told nothing when it was looked at in full? Only names that
 * stand plainly there are known, so that nothing around them matters.
 */
export function isKnownHarmless(units: Uint16Array, start: number, end: number): boolean {
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
  if (at === end || (at === least && at > start) || (before < 128 && SPECIAL[before] === 1)) return false;
  from = at;
  place = (hash ^ (hash >>> 13)) & (PLACES - 1);
  const length = end - at;
  if (lengths[place] !== length) return false;
  for (let index = 0; index < length; index++) {
    if (chars[place * LONGEST + index] !== units[at + index]) return false;
  }
  return true;
}

/** To be called right after {@link isKnownHarmless}, once the name was found to tell nothing. */
export function rememberHarmless(units: Uint16Array, end: number): void {
  if (from === -1) return;
  lengths[place] = end - from;
  for (let index = from; index < end; index++) chars[place * LONGEST + index - from] = units[index] ?? 0;
}
