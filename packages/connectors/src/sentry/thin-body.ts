import type { RawDelivery } from '@culprit/core/connector';
import type { Feed } from './envelope.js';
import { OMITTED, readEnvelope } from './envelope.js';
import { checkSize } from './limits.js';
import { isEnvelope } from './verify.js';

/** Bytes of a client report that are kept. They list a few dozen counts. */
const REPORT_BYTES = 64 * 1024;
/** Bytes of all events that are kept. Only two are accepted; others may be transactions. */
const KEPT_BYTES = 20 * 1024 * 1024;
const NEWLINE = Buffer.from('\n');

/** Thins a body while it arrives: payloads that nobody reads are never whole in memory. */
export interface BodyThinner {
  /** Throws what `parseEnvelope` throws, and `too_large` for an event over the limit. The piece is only read during the call. */
  take(piece: Uint8Array): void;
  held(): number;
  /** The body without those payloads. Their items' headers say how many bytes they had. */
  end(): Uint8Array;
}

export interface ThinOptions {
  readonly eventBytes: number;
  /** Called with an envelope's header before anything after it is read. May throw. */
  readonly started?: (header: Uint8Array) => void;
}

/** Of a body at the SDK endpoint: an envelope without what is not read, or the one event of `/store/`. */
export function thinBody(delivery: Pick<RawDelivery, 'path' | 'headers'>, options: ThinOptions): BodyThinner {
  return isEnvelope(delivery) ? thinEnvelope(options) : boundEvent(options);
}

function boundEvent({ eventBytes }: ThinOptions): BodyThinner {
  const kept: Uint8Array[] = [];
  let held = 0;
  return {
    take(piece) {
      held += piece.length;
      checkSize({ length: held }, eventBytes, 'event');
      kept.push(Buffer.from(piece));
    },
    held: () => held,
    end: () => Buffer.concat(kept),
  };
}

/** Of an envelope, events and client reports are read; attachments, replays and everything else are known by name and size. */
function thinEnvelope({ eventBytes, started }: ThinOptions): BodyThinner {
  const kept: Uint8Array[] = [];
  let held = 0;
  const keep = (...parts: readonly Uint8Array[]) => {
    for (const part of parts) {
      kept.push(Buffer.from(part));
      held += part.length;
    }
  };
  const feed: Feed = { bytes: new Uint8Array(), at: 0, ended: false };
  /** The payload that is arriving. */
  let growing = 0;
  const reading = readEnvelope(feed, {
    header(_, line) {
      keep(line, NEWLINE);
      started?.(Buffer.concat(kept));
    },
    lineBytes: eventBytes,
    wants(type, length, path) {
      if (type === 'client_report') return (length ?? 0) <= REPORT_BYTES;
      if (type !== 'event') return false;
      checkSize({ length: length ?? 0 }, eventBytes, path);
      growing = length ?? eventBytes;
      checkSize({ length: held + growing }, Math.max(KEPT_BYTES, 2 * eventBytes), path);
      return true;
    },
    item({ header, payload, bytes }, line) {
      growing = 0;
      if (payload.length > 0 || bytes === 0) return keep(line, NEWLINE, payload, NEWLINE);
      keep(Buffer.from(JSON.stringify({ ...header, length: 0, [OMITTED]: bytes })), NEWLINE, NEWLINE);
    },
  });
  return {
    take(piece) {
      feed.bytes = piece;
      feed.at = 0;
      reading.next();
    },
    held: () => held + growing,
    end() {
      feed.ended = true;
      reading.next();
      return Buffer.concat(kept);
    },
  };
}
