import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { OriginalFrame } from '@culprit/core/internal/ports/source-maps';
import { eachElement, eachWindow, isText, membersOf, parseRange, type Range } from './json-ranges.js';

/** A place in the built file. Both 1-based. */
export interface BuiltPlace {
  readonly line: number;
  readonly column: number;
}

/** Places whose source lines are returned, and the lines on either side: as many as the sanitiser reads around a shown line. */
const WITH_SOURCE = 8;
const AROUND = 45;
const LINE_CHARS = 400;
const NAME_BYTES = 16 * 1024;
/** A longer source is data, not code. */
const SOURCE_BYTES = 16 * 1024 * 1024;
const SECTIONS = 10_000;
const PREFIX_BYTES = 1024;

/** The originals of places, in order; `null` where the map has none. Throws `SyntaxError` if the file is not a source map. */
export function readMap(path: string, places: readonly BuiltPlace[]): readonly (OriginalFrame | null)[] {
  return withMap(path, (fd, whole) => {
    const members = membersOf(fd, whole);
    const wanted = places.map(({ line, column }) => ({ line: line - 1, column: column - 1 }));
    const sections = members.get('sections');
    return sections === undefined
      ? originalsIn(fd, members, wanted)
      : originalsInSections(fd, sections, wanted);
  });
}

/**
 * The debug id that a source map names, if any. Throws `SyntaxError` if the file does not look like a source map: it has neither
 * mappings nor sections.
 */
export function checkMap(path: string): string | null {
  return withMap(path, (fd, whole) => {
    const members = membersOf(fd, whole);
    if (!members.has('mappings') && !members.has('sections'))
      throw new SyntaxError('The file has no mappings.');
    return textOf(fd, members.get('debugId') ?? members.get('debug_id'));
  });
}

function withMap<T>(path: string, work: (fd: number, whole: Range) => T): T {
  const fd = openSync(path, 'r');
  try {
    return work(fd, { from: startOf(fd), to: fstatSync(fd).size });
  } finally {
    closeSync(fd);
  }
}

/** After a byte order mark, or a line such as `)]}'` that keeps the file from being run as a script. */
function startOf(fd: number): number {
  const head = Buffer.alloc(PREFIX_BYTES);
  const read = readSync(fd, head, 0, head.length, 0);
  const text = head.subarray(0, read).toString('latin1');
  const start = /^(?:\xef\xbb\xbf)?(?:\)\]\}[^\n]*\n)?\s*/.exec(text)?.[0].length ?? 0;
  if (text[start] !== '{') throw new SyntaxError('The file is not a JSON object.');
  return start;
}

interface Section {
  readonly line: number;
  readonly column: number;
  readonly map: Range;
}

/** An index map: several maps, each from a place of the built file on. */
function originalsInSections(fd: number, range: Range, wanted: readonly WantedPlace[]) {
  const sections: Section[] = [];
  eachElement(fd, range, (value) => {
    const members = membersOf(fd, value);
    const map = members.get('map');
    const offset = members.get('offset');
    if (map !== undefined && offset !== undefined) {
      const { line, column } = parseRange(fd, offset, NAME_BYTES) as WantedPlace;
      if (Number.isSafeInteger(line) && Number.isSafeInteger(column)) sections.push({ line, column, map });
    }
    return sections.length < SECTIONS;
  });
  const found: (OriginalFrame | null)[] = wanted.map(() => null);
  const chosen = new Map<Section, number[]>();
  for (const [index, { line, column }] of wanted.entries()) {
    const section = sections.findLast(
      (one) => one.line < line || (one.line === line && one.column <= column),
    );
    if (section !== undefined) chosen.set(section, [...(chosen.get(section) ?? []), index]);
  }
  for (const [section, indices] of chosen) {
    const places = indices.map((index) => {
      const { line, column } = wanted[index] as WantedPlace;
      return {
        line: line - section.line,
        column: line === section.line ? column - section.column : column,
      };
    });
    const originals = originalsIn(fd, membersOf(fd, section.map), places);
    for (const [at, index] of indices.entries()) found[index] = originals[at] ?? null;
  }
  return found;
}

type Members = ReadonlyMap<string, Range>;

function originalsIn(fd: number, members: Members, wanted: readonly WantedPlace[]) {
  const mappings = members.get('mappings');
  if (mappings === undefined) throw new SyntaxError('The file has no mappings.');
  const segments = segmentsAt(fd, mappings, wanted);
  const sources = texts(fd, members.get('sources'), new Set(segments.map((one) => one?.source ?? -1)));
  const names = texts(fd, members.get('names'), new Set(segments.map((one) => one?.name ?? -1)));
  const root = textOf(fd, members.get('sourceRoot'));
  const contextOf = contexts(fd, members.get('sourcesContent'), segments);
  return segments.map((segment): OriginalFrame | null => {
    const source = segment === null ? undefined : sources.get(segment.source);
    if (segment === null || source === undefined || segment.line < 0) return null;
    const { line, name } = segment;
    return {
      source: joined(root, source),
      line: line + 1,
      name: names.get(name) ?? null,
      context: contextOf(segment),
    };
  });
}

function joined(root: string | null, source: string): string {
  if (root === null || root === '' || /^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(source)) return source;
  return `${root.replace(/\/+$/, '')}/${source}`;
}

/** The texts of a list at some indices. */
function texts(fd: number, range: Range | undefined, wanted: ReadonlySet<number>): Map<number, string> {
  const found = new Map<number, string>();
  const last = Math.max(...wanted);
  if (range === undefined || last < 0) return found;
  eachElement(fd, range, (value, index) => {
    const text = wanted.has(index) ? textOf(fd, value) : null;
    if (text !== null) found.set(index, text);
    return index < last;
  });
  return found;
}

function textOf(fd: number, range: Range | undefined, most = NAME_BYTES): string | null {
  if (range === undefined || range.to - range.from > most) return null;
  const value = parseRange(fd, range, most);
  return typeof value === 'string' ? value : null;
}

/** The lines around the first distinct places, if the map contains their sources. */
function contexts(fd: number, range: Range | undefined, segments: readonly (Segment | null)[]) {
  const keyOf = ({ source, line }: Segment) => `${source}:${line}`;
  const shown = new Map<string, Segment>();
  for (const segment of segments) {
    if (segment === null || segment.source < 0 || segment.line < 0) continue;
    if (shown.size < WITH_SOURCE) shown.set(keyOf(segment), segment);
  }
  const found = new Map<string, NonNullable<OriginalFrame['context']>>();
  const sources = new Set([...shown.values()].map(({ source }) => source));
  const last = Math.max(-1, ...sources);
  if (range !== undefined && last >= 0) {
    eachElement(fd, range, (value, index) => {
      const text = sources.has(index) ? textOf(fd, value, SOURCE_BYTES) : null;
      if (text !== null) {
        const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
        for (const [key, { source, line }] of shown) {
          if (source !== index || line >= lines.length) continue;
          const from = Math.max(0, line - AROUND);
          const around = lines.slice(from, line + AROUND + 1).map((one) => one.slice(0, LINE_CHARS));
          found.set(key, { from: from + 1, lines: around });
        }
      }
      return index < last;
    });
  }
  return (segment: Segment) => found.get(keyOf(segment)) ?? null;
}

/** A place to look up. Both 0-based. */
interface WantedPlace {
  readonly line: number;
  readonly column: number;
}
/** The segment of a place. All 0-based; `name` is -1 without one. */
interface Segment {
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
function segmentsAt(
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
