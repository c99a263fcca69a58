import type { Row } from './delivery-store.js';

/** Waiting deliveries of one webhook, and of all. What comes beyond is given up at once. */
const MOST_WAITING = 10_000;
const MOST_WAITING_OF_ALL = 100_000;
/** Bytes of the messages that wait, as JSON. They are in memory, each once for all its webhooks. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Counts what waits. */
export interface Backlog {
  /** False if it was too much. The delivery is counted until `remove`, all the same. */
  add(webhook: string, row: Row): boolean;
  remove(webhook: string, row: Row): void;
}

export function createBacklog(mostBytes = MOST_BYTES): Backlog {
  const waiting = new Map<string, number>();
  /** Deliveries of each message that wait. */
  const rows = new Map<Row, number>();
  let all = 0;
  let bytes = 0;
  return {
    add(webhook, row) {
      const own = (waiting.get(webhook) ?? 0) + 1;
      waiting.set(webhook, own);
      const known = rows.get(row) ?? 0;
      rows.set(row, known + 1);
      if (known === 0) bytes += row.bytes;
      all += 1;
      return own <= MOST_WAITING && all <= MOST_WAITING_OF_ALL && bytes <= mostBytes;
    },
    remove(webhook, row) {
      const own = (waiting.get(webhook) ?? 0) - 1;
      if (own <= 0) waiting.delete(webhook);
      else waiting.set(webhook, own);
      const left = (rows.get(row) ?? 0) - 1;
      if (left > 0) rows.set(row, left);
      else if (rows.delete(row)) bytes -= row.bytes;
      all -= 1;
    },
  };
}
