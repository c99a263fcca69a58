/** Bytes that may still be arriving. The generators below `yield` when they need more. */
export interface Feed {
  /** The current piece. */
  bytes: Uint8Array;
  /** The next byte to read. */
  at: number;
  /** No further piece follows. */
  ended: boolean;
}

const NEWLINE = 0x0a;

/** Runs a reader of a feed that has ended. */
export function finish<T>(reader: Generator<void, T>): T {
  for (;;) {
    const { done, value } = reader.next();
    if (done === true) return value;
  }
}

/** Whether there is another byte. */
export function* moreOf(feed: Feed): Generator<void, boolean> {
  while (feed.at === feed.bytes.length) {
    if (feed.ended) return false;
    yield;
  }
  return true;
}

/** Skips spaces, tabs and line ends. Calls `tooMany` beyond `most`. */
export function* skipBlanks(feed: Feed, most: number, tooMany: () => void): Generator<void, void> {
  let skipped = 0;
  while (yield* moreOf(feed)) {
    if (!isBlank(feed.bytes[feed.at])) return;
    feed.at++;
    if (++skipped > most) tooMany();
  }
}

/** Up to the next line end, which is read too, or to the end. Calls `tooLong` beyond `most` bytes. */
export function* readLine(
  feed: Feed,
  most = Number.POSITIVE_INFINITY,
  tooLong: () => void = () => {},
): Generator<void, Uint8Array> {
  const parts = createParts();
  while (yield* moreOf(feed)) {
    const newline = feed.bytes.indexOf(NEWLINE, feed.at);
    const end = newline < 0 ? feed.bytes.length : newline;
    if (parts.size + end - feed.at > most) tooLong();
    parts.add(feed.bytes.subarray(feed.at, end), newline >= 0 || feed.ended);
    feed.at = newline < 0 ? end : end + 1;
    if (newline >= 0) break;
  }
  return parts.whole();
}

/** The next `length` bytes; fewer at the end. */
export function* readBytes(feed: Feed, length: number): Generator<void, Uint8Array> {
  const parts = createParts();
  while (parts.size < length && (yield* moreOf(feed))) {
    const end = Math.min(feed.bytes.length, feed.at + length - parts.size);
    parts.add(feed.bytes.subarray(feed.at, end), parts.size + end - feed.at === length);
    feed.at = end;
  }
  return parts.whole();
}

/** Skips `length` bytes; returns how many there were. */
export function* skipBytes(feed: Feed, length: number): Generator<void, number> {
  let skipped = 0;
  while (skipped < length && (yield* moreOf(feed))) {
    const step = Math.min(feed.bytes.length - feed.at, length - skipped);
    feed.at += step;
    skipped += step;
  }
  return skipped;
}

/** Skips to the next line end, which is skipped too; returns the bytes before it. */
export function* skipLine(feed: Feed): Generator<void, number> {
  let skipped = 0;
  while (yield* moreOf(feed)) {
    const newline = feed.bytes.indexOf(NEWLINE, feed.at);
    skipped += (newline < 0 ? feed.bytes.length : newline) - feed.at;
    feed.at = newline < 0 ? feed.bytes.length : newline + 1;
    if (newline >= 0) break;
  }
  return skipped;
}

/** Parts of one text. Those before the last are copied, because a piece is gone when the next one comes. */
function createParts() {
  const parts: Uint8Array[] = [];
  return {
    size: 0,
    add(part: Uint8Array, isLast: boolean) {
      this.size += part.length;
      parts.push(isLast ? part : Uint8Array.from(part));
    },
    whole(): Uint8Array {
      return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    },
  };
}

const isBlank = (byte: number | undefined) =>
  byte === NEWLINE || byte === 0x0d || byte === 0x20 || byte === 0x09;
