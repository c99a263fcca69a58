import { CulpritError } from '@culprit/core';
import { trustOf } from '@culprit/core/internal/domain/trust';
import type { NewDelivery } from './new-delivery.js';
import { HEADER_BYTES, MAX_PAYLOAD_BYTES, recordBytes, sealRecord } from './record.js';
import type { RecordRoom } from './record-room.js';
import type { Waiting } from './writer.js';

/** Maximum bytes of a UTF-16 unit in UTF-8. Texts up to `SHORT` are not measured first. */
const WIDEST = 3;
const SHORT = 32_768;
const CLOSING_BRACE = 125;

/** Encodes a delivery as a record. Throws `too_large`. */
export function recordOf(room: RecordRoom, delivery: NewDelivery, sequence: number): Waiting {
  const { crash } = delivery;
  const asBytes = crash instanceof Uint8Array;
  const text = `${headOf(delivery, sequence)}${asBytes ? '' : JSON.stringify(crash)}`;
  const textBytes = text.length < SHORT ? text.length * WIDEST : Buffer.byteLength(text);
  const most = recordBytes(textBytes + (asBytes ? crash.length : 0) + 1);
  const { bytes, leave } = room.place(most, (target, at) => {
    const start = at + HEADER_BYTES;
    let end = start + target.write(text, start);
    if (asBytes) {
      target.set(crash, end);
      end += crash.length;
    }
    target[end++] = CLOSING_BRACE;
    sealRecord(target, at, end - start);
    return end - at;
  });
  if (bytes.length > recordBytes(MAX_PAYLOAD_BYTES)) {
    leave();
    throw new CulpritError('too_large', 'The crash is too large to store.');
  }
  return { sequence, bytes, leave };
}

/** Everything before the crash. The sequence number is first, so readers find it without parsing. */
function headOf(delivery: NewDelivery, sequence: number): string {
  const { event_id, project, door, tracker, received_at, raw_sha256, headers, attachments, redactions, key } =
    delivery;
  const { trimmed } = delivery;
  return (
    `{"sequence":${sequence},"event_id":${quoted(event_id)},"project":${quoted(project)},"door":${quoted(door)},` +
    `"trust":${quoted(trustOf(delivery))},${key === undefined ? '' : `"key":${quoted(key)},`}` +
    `"tracker":${quoted(tracker)},"received_at":${quoted(received_at)},"raw_sha256":${quoted(raw_sha256)},` +
    `"headers":${headersOf(headers)},"attachments":${attachments.length === 0 ? '[]' : JSON.stringify(attachments)},` +
    `"redactions":${redactions},${trimmed === undefined ? '' : `"trimmed":${JSON.stringify(trimmed)},`}"crash":`
  );
}

const quoted = (text: string) => (/^[\w./:-]*$/.test(text) ? `"${text}"` : JSON.stringify(text));

/** Equal headers are the same object, so their JSON is cached. */
const headerTexts = new WeakMap<NewDelivery['headers'], string>();

function headersOf(headers: NewDelivery['headers']): string {
  const known = headerTexts.get(headers);
  if (known !== undefined) return known;
  const text = JSON.stringify(headers);
  headerTexts.set(headers, text);
  return text;
}
