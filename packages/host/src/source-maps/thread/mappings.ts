import { eachWindow, isText, type Range } from './json-ranges.js';

/** A place to look up. Both 0-based. */
export interface WantedPlace {
  readonly line: number;
  readonly column: number;
}
/** The segment of a place. All 0-based; `name` is -1 without one. */
export interface Segment {
  readonly column: number;
  /** -1: the place has no original. */
  readonly source: number;
  readonly line: number;
  readonly name: number;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;
const DIGITS = new Int8Array(128).fill(-1);
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  DIGITS[char.charCodeAt(0)] = value;

/**
 * The segments of places in the `mappings` of a source map (version 3): for each the last one of its line that starts at or
 * before its column. The text is decoded while it is read and nothing of it is kept, so a map of any size needs the same memory.
 */
export function segmentsAt(
  fd: number,
  /** The JSON string, with its quotes. */
  { from, to }: Range,
  places: readonly WantedPlace[],
): readonly (Segment | null)[] {
  const found: (Segment | null)[] = places.map(() => null);
  const byLine = new Map<number, number[]>();
  for (const [index, { line }] of places.entries()) byLine.set(line, [...(byLine.get(line) ?? []), index]);
  const last = Math.max(-1, ...byLine.keys());
  const fields = [0, 0, 0, 0, 0];
  let line = 0;
  let field = 0;
  let value = 0;
  let shift = 0;
  let wanted = byLine.get(0);
  const endSegment = () => {
    if (shift !== 0) throw new SyntaxError('The mappings are cut.');
    const count = field;
    field = 0;
    if (count === 0 || wanted === undefined) return;
    const column = fields[0] as number;
    for (const index of wanted) {
      const at = (places[index] as WantedPlace).column;
      const before = found[index]?.column ?? -1;
      if (column > at || column < before || (column === before && column === at)) continue;
      found[index] =
        count === 1
          ? { column, source: -1, line: 0, name: -1 }
          : {
              column,
              source: fields[1] as number,
              line: fields[2] as number,
              name: count > 4 ? (fields[4] as number) : -1,
            };
    }
  };
  if (!isText(fd, { from, to })) throw new SyntaxError('The mappings are not a text.');
  eachWindow(fd, { from: from + 1, to: to - 1 }, (bytes) => {
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (byte === COMMA) endSegment();
      else if (byte === SEMICOLON) {
        endSegment();
        fields[0] = 0;
        line++;
        if (line > last) return false;
        wanted = byLine.get(line);
      } else if (byte !== BACKSLASH) {
        // `\/` is the only escape that a writer of JSON may use here.
        const digit = byte < 128 ? (DIGITS[byte] as number) : -1;
        if (digit < 0 || field > 4 || shift > 30) throw new SyntaxError('The mappings are not base64 VLQ.');
        value |= (digit & 31) << shift;
        if ((digit & 32) !== 0) shift += 5;
        else {
          fields[field] = (fields[field] as number) + (value & 1 ? -(value >>> 1) : value >>> 1);
          field++;
          value = 0;
          shift = 0;
        }
      }
    }
    return undefined;
  });
  if (line <= last) endSegment();
  return found;
}
