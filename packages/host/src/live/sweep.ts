import { LIVE_CLOSE } from '@culprit/client/live';
import type { Connection } from './hub.js';

export const SWEEP_MS = 500;
/** Send buffer per reader in bytes. A whole snapshot fits. */
const READER_BYTES = 2 * 1024 * 1024;
/** Send buffers of all readers in bytes. Above it, readers with the largest buffers are closed first. */
const ALL_BYTES = 128 * 1024 * 1024;

interface Why {
  readonly code: number;
  readonly reason: string;
}
const SLOW: Why = { code: LIVE_CLOSE.slow_reader, reason: 'too slow, reconnect with since' };
const CONFIRM: Why = {
  code: LIVE_CLOSE.confirm,
  reason: 'the session has to be confirmed, reconnect with since',
};
const ENDED: Why = { code: LIVE_CLOSE.signed_out, reason: 'the session has ended' };

/** Readers to close, and why. Publishing does not check individual readers. */
export function sweep(
  connections: Iterable<Connection>,
  now: number,
): readonly (readonly [Connection, Why])[] {
  const out: (readonly [Connection, Why])[] = [];
  const slow: { readonly connection: Connection; readonly bytes: number }[] = [];
  let all = 0;
  for (const connection of connections) {
    const { expiresAt, confirmAt } = connection.reader;
    const bytes = connection.socket.waiting();
    if (expiresAt !== null && expiresAt <= now) out.push([connection, ENDED]);
    else if (confirmAt !== null && confirmAt <= now) out.push([connection, CONFIRM]);
    else if (bytes > READER_BYTES) out.push([connection, SLOW]);
    else if (bytes > 0) {
      slow.push({ connection, bytes });
      all += bytes;
    }
  }
  if (all <= ALL_BYTES) return out;
  slow.sort((a, b) => b.bytes - a.bytes);
  for (const { connection, bytes } of slow) {
    if (all <= ALL_BYTES) break;
    out.push([connection, SLOW]);
    all -= bytes;
  }
  return out;
}
