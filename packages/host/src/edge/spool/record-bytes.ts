import { crc32 } from 'node:zlib';

/**
 * One record of a segment: a mark, the length of the payload, a CRC-32 over both, then the payload. The mark lets a
 * reader find the next record after a damaged length.
 */
const MARK = Buffer.from([0xc1, 0x4c, 0x50, 0x0a]);
export const HEADER_BYTES = 12;
/** Maximum payload. A longer length means damage. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

export const recordBytes = (payloadBytes: number) => HEADER_BYTES + payloadBytes;

export function encodeRecord(payload: Buffer): Buffer {
  const record = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  record.set(payload, HEADER_BYTES);
  sealRecord(record, 0, payload.length);
  return record;
}

/** Writes the header of a payload that starts {@link HEADER_BYTES} after `at`. */
export function sealRecord(bytes: Buffer, at: number, payloadLength: number): void {
  bytes.set(MARK, at);
  bytes.writeUInt32LE(payloadLength, at + 4);
  const payload = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + payloadLength);
  bytes.writeUInt32LE(checksum(payloadLength, payload), at + 8);
}

const lengthBytes = Buffer.alloc(4);

function checksum(length: number, payload: Buffer): number {
  lengthBytes.writeUInt32LE(length);
  return crc32(payload, crc32(lengthBytes));
}

/** A part of a segment: a valid record (`payload` set) or damaged bytes. Offsets refer to the scanned bytes. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly payload: Buffer | null;
}

export interface Scan {
  readonly stretches: readonly Stretch[];
  /** The offset of the first incomplete record; the length of the bytes if there is none. */
  readonly end: number;
}

/** Reads all records. Never throws; damage becomes a part without a payload. */
export function scanRecords(bytes: Buffer): Scan {
  const stretches: Stretch[] = [];
  let at = 0;
  while (at < bytes.length) {
    const record = readRecord(bytes, at);
    if (record !== null) {
      stretches.push(record);
      at = record.end;
      continue;
    }
    const next = findRecord(bytes, at + 1);
    if (next === -1) break;
    stretches.push({ start: at, end: next, payload: null });
    at = next;
  }
  return { stretches, end: at };
}

function readRecord(bytes: Buffer, start: number): Stretch | null {
  if (start + HEADER_BYTES > bytes.length || bytes.compare(MARK, 0, 4, start, start + 4) !== 0) return null;
  const length = bytes.readUInt32LE(start + 4);
  const end = start + HEADER_BYTES + length;
  if (length > MAX_PAYLOAD_BYTES || end > bytes.length) return null;
  const header = bytes.subarray(start, start + HEADER_BYTES);
  const payload = bytes.subarray(start + HEADER_BYTES, end);
  return header.readUInt32LE(8) === checksum(length, payload) ? { start, end, payload } : null;
}

function findRecord(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MARK, from); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
    if (readRecord(bytes, at) !== null) return at;
  }
  return -1;
}

/** The sequence number at the start of every payload; `null` for a foreign payload. */
export function sequenceOf(payload: Buffer): number | null {
  const found = /^\{"sequence":(\d{1,15}),/.exec(payload.toString('latin1', 0, 32))?.[1];
  return found === undefined ? null : Number(found);
}
