const BLOCK = 32 * 1024;
const HEADER = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

export interface LogContent {
  readonly records: readonly Buffer[];
  /** True: damaged bytes precede a valid record, so records are missing. At the end they are a write that was cut off. */
  readonly damaged: boolean;
}

/** Reads a log or MANIFEST as LevelDB does at a start (db/log_reader.cc): after damaged bytes it continues at the next block. */
export function readLog(bytes: Buffer): LogContent {
  const records: Buffer[] = [];
  let parts: Buffer[] | null = null;
  let bad = false;
  let damaged = false;
  const found = (record: Buffer) => {
    damaged ||= bad;
    records.push(record);
  };
  for (let block = 0; block < bytes.length; block += BLOCK) {
    const end = Math.min(block + BLOCK, bytes.length);
    for (let at = block; end - at >= HEADER; ) {
      const data = at + HEADER;
      const next = data + bytes.readUInt16LE(at + 4);
      const type = bytes[at + 6];
      if (
        next > end ||
        (type === 0 && next === data) ||
        maskedCrc(bytes, at + 6, next) !== bytes.readUInt32LE(at)
      ) {
        bad = true;
        parts = null;
        break;
      }
      const part = bytes.subarray(data, next);
      if (type === FULL) found(part);
      else if (type === FIRST) parts = [part];
      else if (parts === null) bad = true;
      else parts.push(part);
      if (type === LAST && parts !== null) found(Buffer.concat(parts));
      if (type !== FIRST && type !== MIDDLE) parts = null;
      at = next;
    }
  }
  return { records, damaged };
}

/** LevelDB's varints, up to 53 bits. */
export interface Bytes {
  varint(): number;
  take(length: number): Buffer;
  /** A text after its length. */
  prefixed(): Buffer;
  readonly left: boolean;
}

export function bytesOf(buffer: Buffer): Bytes {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = buffer[at++];
      if (byte === undefined) throw new RangeError('a number is cut off');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    if (at > buffer.length) throw new RangeError('a text is cut off');
    return buffer.subarray(at - length, at);
  };
  return {
    varint,
    take,
    prefixed: () => take(varint()),
    get left() {
      return at < buffer.length;
    },
  };
}

const EMPTY = new Int32Array(256);
/** Tables for eight bytes at once (slicing-by-8) of the reversed Castagnoli polynomial. */
const TABLES = Array.from({ length: 8 }, () => new Int32Array(256));
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  TABLES[0]?.fill(crc, byte, byte + 1);
}
const [T0 = EMPTY, T1 = EMPTY, T2 = EMPTY, T3 = EMPTY, T4 = EMPTY, T5 = EMPTY, T6 = EMPTY, T7 = EMPTY] =
  TABLES;
for (const [n, table] of TABLES.slice(1).entries()) {
  for (let byte = 0; byte < 256; byte++) {
    const crc = TABLES[n]?.[byte] ?? 0;
    table[byte] = (crc >>> 8) ^ (T0[crc & 0xff] ?? 0);
  }
}

/** CRC-32C of a part of `bytes`, masked as LevelDB stores it (util/crc32c.h). */
export function maskedCrc(bytes: Buffer, start: number, end: number): number {
  let crc = -1;
  let at = start;
  const entry = (table: Int32Array, index: number) => table[index & 0xff] ?? 0;
  for (; at + 8 <= end; at += 8) {
    const low = crc ^ bytes.readInt32LE(at);
    const high = bytes.readInt32LE(at + 4);
    crc =
      entry(T7, low) ^
      entry(T6, low >>> 8) ^
      entry(T5, low >>> 16) ^
      entry(T4, low >>> 24) ^
      entry(T3, high) ^
      entry(T2, high >>> 8) ^
      entry(T1, high >>> 16) ^
      entry(T0, high >>> 24);
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ entry(T0, crc ^ (bytes[at] ?? 0));
  const found = ~crc;
  return (((found >>> 15) | (found << 17)) + 0xa282ead8) >>> 0;
}

/** Decompresses a block of Google's Snappy format (format_description.txt). Throws for damaged input. */
export function unsnappy(input: Buffer): Buffer {
  const length = bytesOf(input).varint();
  // A block has a few KiB; a damaged length must not take memory.
  if (length > 64 * 1024 * 1024) throw new RangeError('too long');
  const output = Buffer.alloc(length);
  let from = 0;
  while ((input[from++] ?? 0) >= 0x80);
  let to = 0;
  const little = (at: number, bytes: number) => input.readUIntLE(at, bytes);
  while (from < input.length) {
    const tag = input[from++] ?? 0;
    let size = tag >>> 2;
    let offset: number;
    if ((tag & 3) === 0) {
      const more = Math.max(0, size - 59);
      if (more > 0) size = little(from, more);
      from += more;
      size += 1;
      if (input.copy(output, to, from, from + size) !== size) throw new RangeError('cut off');
      from += size;
      to += size;
      continue;
    }
    if ((tag & 3) === 1) {
      offset = ((tag >>> 5) << 8) | (input[from++] ?? 0);
      size = (size & 7) + 4;
    } else {
      const bytes = (tag & 3) === 2 ? 2 : 4;
      offset = little(from, bytes);
      from += bytes;
      size += 1;
    }
    if (offset === 0 || offset > to || to + size > length) throw new RangeError('copies from outside');
    for (let end = to + size; to < end; to++) output[to] = output[to - offset] ?? 0;
  }
  if (to !== length) throw new RangeError('cut off');
  return output;
}
