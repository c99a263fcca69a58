import type { Quarantine } from './quarantine.js';
import { MAX_PAYLOAD_BYTES, recordBytes, scanRecords, sequenceOf } from './record-bytes.js';
import { readRange, type Segment } from './segment.js';

export interface SpoolBatch {
  /** Deliveries as JSON, in order. */
  readonly payloads: readonly Buffer[];
  readonly first: number;
  /** The sequence to acknowledge once core has all of them. */
  readonly last: number;
}

export interface ReadLimits {
  readonly records: number;
  readonly bytes: number;
}

export interface Reader {
  /** The records after `after` that are fsynced; `null` if there are none. */
  read(after: number, limits: ReadLimits): Promise<SpoolBatch | null>;
  /** The offset of the record after `after` in its segment, if known. */
  offset(after: number): number | null;
}

interface Cursor {
  readonly after: number;
  readonly segment: Segment;
  readonly offset: number;
}

/** Reads segments forward. Every record is checked again; damaged ones are quarantined and skipped. */
export function createReader(segments: readonly Segment[], quarantine: Quarantine): Reader {
  let cursor: Cursor | null = null;

  const start = (after: number): Cursor | null => {
    if (cursor?.after === after && cursor.offset < cursor.segment.bytes) return cursor;
    const segment = segments.find(({ last, bytes }) => bytes > 0 && last > after);
    return segment ? { after, segment, offset: 0 } : null;
  };
  const readFrom = async (from: Cursor, limits: ReadLimits): Promise<SpoolBatch | null> => {
    const { segment, after } = from;
    const durable = segment.bytes;
    let offset = from.offset;
    let last = after;
    const payloads: Buffer[] = [];
    let bytes = 0;
    let window = limits.bytes;
    while (offset < durable && payloads.length < limits.records && bytes < limits.bytes) {
      const chunk = await readRange(segment.path, offset, Math.min(durable, offset + window));
      const whole = offset + window >= durable;
      const { stretches, end } = scanRecords(chunk);
      if (end === 0 && !whole) {
        window = Math.max(window * 2, Math.min(recordBytes(MAX_PAYLOAD_BYTES), durable - offset));
        continue;
      }
      let used = 0;
      for (const { start, end, payload } of stretches) {
        const sequence = payload === null ? null : sequenceOf(payload);
        if (payload === null)
          await quarantine.keep('damaged', segment.path, offset + start, chunk.subarray(start, end));
        else if (sequence !== null && sequence > after) {
          if (
            payloads.length > 0 &&
            (payloads.length >= limits.records || bytes + payload.length > limits.bytes)
          )
            break;
          payloads.push(payload);
          bytes += payload.length;
          last = sequence;
        }
        used = end;
        cursor = { after: last, segment, offset: offset + used };
      }
      if (used < end) break;
      if (whole && end < chunk.length) {
        await quarantine.keep('damaged', segment.path, offset + end, chunk.subarray(end));
        used = chunk.length;
      }
      offset += used;
    }
    return payloads.length > 0
      ? { payloads, first: sequenceOf(payloads[0] ?? Buffer.alloc(0)) ?? 0, last }
      : null;
  };
  return {
    async read(after, limits) {
      for (let tried: Segment | null = null; ; ) {
        const from = start(after);
        if (from === null) return null;
        const batch = await readFrom(from, limits);
        if (batch !== null) return batch;
        // No valid record is left in this segment: continue with the next.
        if (tried === from.segment) return null;
        tried = from.segment;
        const behind = segments.find(({ first, bytes }) => bytes > 0 && first > from.segment.first);
        if (behind === undefined) return null;
        cursor = { after, segment: behind, offset: 0 };
      }
    },
    offset: (after) => (cursor?.after === after ? cursor.offset : null),
  };
}
