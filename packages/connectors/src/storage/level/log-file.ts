import { maskedCrc } from './crc32c.js';

const BLOCK = 32 * 1024;
const HEADER = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

export interface LogContent {
  readonly records: readonly Buffer[];
  /** True: damaged bytes precede a valid record, so records are missing. At the end they are a write that was cut off. */
  readonly damaged: boolean;
}

/** Reads a log or MANIFEST as LevelDB does at a start (db/log_reader.cc): after damaged bytes it goes on at the next block. */
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
