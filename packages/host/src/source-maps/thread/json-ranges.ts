import { readSync } from 'node:fs';

/** A part of a file: from the first byte to before the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const WINDOW = 1024 * 1024;
const LONGEST_KEY = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

/** Calls `take` with consecutive windows of a range until it returns `false`. */
export function eachWindow(
  fd: number,
  { from, to }: Range,
  take: (bytes: Buffer, at: number) => boolean | undefined,
): void {
  const window = Buffer.allocUnsafe(Math.min(WINDOW, Math.max(1, to - from)));
  for (let at = from; at < to; ) {
    const read = readSync(fd, window, 0, Math.min(window.length, to - at), at);
    if (read === 0) throw new SyntaxError('The file ends early.');
    if (take(window.subarray(0, read), at) === false) return;
    at += read;
  }
}

/** Whether the value of a range is a string. */
export function isText(fd: number, { from, to }: Range): boolean {
  const first = Buffer.alloc(1);
  return to - from >= 2 && readSync(fd, first, 0, 1, from) === 1 && first[0] === QUOTE;
}

/** Parses a part of a file, which must be small. */
export function parseRange(fd: number, { from, to }: Range, mostBytes: number): unknown {
  if (to - from > mostBytes) throw new SyntaxError('A value is too long.');
  const bytes = Buffer.alloc(to - from);
  if (readSync(fd, bytes, 0, bytes.length, from) < bytes.length)
    throw new SyntaxError('The file ends early.');
  return JSON.parse(bytes.toString('utf8'));
}

/** Where the values of an object's members are. The file is read once, in constant memory. */
export function membersOf(fd: number, range: Range): ReadonlyMap<string, Range> {
  const members = new Map<string, Range>();
  scan(fd, range, (value, key) => {
    if (key !== null && members.size < 1_000) members.set(key, value);
    return true;
  });
  return members;
}

/** Calls `each` with every element of an array, until it returns `false`. */
export function eachElement(
  fd: number,
  range: Range,
  each: (value: Range, index: number) => boolean | undefined,
): void {
  let index = 0;
  scan(fd, range, (value) => each(value, index++));
}

/**
 * Finds the direct members or elements of the value in a range. It only follows brackets and strings, so it accepts more than
 * JSON; what is used of a value is parsed afterwards.
 */
function scan(fd: number, range: Range, found: (value: Range, key: string | null) => boolean | undefined) {
  let depth = 0;
  let quoted = false;
  let escaped = false;
  let key: string | null = null;
  /** Bytes of the string that may be a key. */
  let text: number[] | null = null;
  let start = -1;
  /** After the last byte of the value. */
  let stop = -1;
  let going = true;
  let closed = false;
  const end = () => {
    if (start >= 0 && found({ from: start, to: stop }, key) === false) going = false;
    start = -1;
    key = null;
    text = null;
  };
  eachWindow(fd, range, (bytes, base) => {
    for (let index = 0; index < bytes.length && going; index++) {
      const byte = bytes[index] as number;
      if (quoted) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          quoted = false;
          stop = base + index + 1;
        }
        if (quoted && text !== null && text.length <= LONGEST_KEY) text.push(byte);
        continue;
      }
      if (byte <= 0x20) continue;
      if (depth === 1 && byte === COMMA) {
        end();
        continue;
      }
      if (depth === 1 && byte === COLON) {
        key = Buffer.from(text ?? []).toString('utf8');
        text = null;
        start = -1;
        continue;
      }
      if (CLOSE.has(byte)) {
        if (depth === 1) {
          end();
          closed = true;
          return false;
        }
        depth--;
        stop = base + index + 1;
        continue;
      }
      if (depth === 1 && start < 0) {
        start = base + index;
        text = byte === QUOTE && key === null ? [] : null;
      }
      stop = base + index + 1;
      if (byte === QUOTE) quoted = true;
      else if (OPEN.has(byte)) depth++;
      else if (depth === 0) throw new SyntaxError('Not an object or a list.');
    }
    return going;
  });
  if (going && !closed) throw new SyntaxError('The file ends early.');
}
