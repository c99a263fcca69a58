import { mkdir } from 'node:fs/promises';
import type { Logger } from '@culprit/core';
import { mutex } from '@culprit/core/internal/resilience/mutex';
import { EDGE_LIMIT_SETTINGS } from '../../config/edge-limits.js';
import { createAppend } from './append.js';
import { type DeadLetters, openDeadLetters } from './dead-letters.js';
import { lockSpool } from './lock.js';
import type { NewDelivery } from './new-delivery.js';
import { createPruner } from './pruner.js';
import { openQuarantine } from './quarantine.js';
import { createReader, type ReadLimits, type SpoolBatch } from './reader.js';
import { recoverSegments, type Segment } from './segment.js';
import { loadIdentity, loadPosition, renewIdentity, savePosition, writable } from './state-files.js';
import { createWriter } from './writer.js';

export interface SpoolLimits {
  /** Maximum bytes on disk. Appends beyond it are refused. */
  readonly bytes: number;
  readonly deliveries: number;
  readonly segmentBytes: number;
  /** How long acknowledged deliveries are kept in case core is restored from an older state. */
  readonly keepMs: number;
}
export const SPOOL_LIMITS: SpoolLimits = {
  bytes: EDGE_LIMIT_SETTINGS.spoolBytes.default,
  deliveries: EDGE_LIMIT_SETTINGS.spoolDeliveries.default,
  segmentBytes: 8 * 1024 * 1024,
  keepMs: 15 * 60_000,
};

export interface SpoolStats {
  /** Deliveries that core has not accepted yet. */
  readonly depth: number;
  /** Their bytes. */
  readonly bytes: number;
  /** All bytes on disk, including acknowledged deliveries. */
  readonly disk_bytes: number;
  readonly largest_depth: number;
  /** Peak bytes on disk. */
  readonly largest_bytes: number;
  readonly last_sequence: number;
  readonly acknowledged: number;
  readonly quarantined: number;
  readonly torn_tails: number;
  /** The last error of the disk; `null` while it works. */
  readonly fault: string | null;
}

export interface Spool {
  readonly deadLetters: DeadLetters;
  /** The highest sequence number assigned by an earlier process. */
  readonly lastAtOpen: number;
  identity(): string;
  /**
   * Resolves once all are fsynced, in order and adjacent. Rejects with `overloaded` if none was stored. The bytes of a
   * crash are read before this returns.
   */
  append(deliveries: readonly NewDelivery[]): Promise<void>;
  read(limits: ReadLimits): Promise<SpoolBatch | null>;
  /** Core has accepted everything up to this sequence number. */
  acknowledge(sequence: number): Promise<void>;
  /** Core has lost everything above this sequence number: read it again, as far as it still exists. */
  rewind(sequence: number): void;
  /**
   * The spool does not match what core knows about its identity: continue under a new identity from the first
   * delivery.
   */
  restart(): Promise<void>;
  /** Called after each fsynced append. */
  onGrown(listener: () => void): void;
  stats(): SpoolStats;
  /** Whether the next append would succeed. Probes a disk that failed, so an idle edge recovers too. */
  readiness(): Promise<{ readonly ready: boolean; readonly detail: string }>;
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly directory: string;
  readonly limits?: Partial<SpoolLimits>;
  readonly logger: Logger;
}

/** Opens or creates the spool. Rejects with `configuration` while another edge uses it. */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { directory, logger } = options;
  const limitOf = (name: keyof SpoolLimits) => options.limits?.[name] ?? SPOOL_LIMITS[name];
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unlock = await lockSpool(directory);
  const quarantine = await openQuarantine(directory, logger);
  const segments = await recoverSegments(directory, quarantine);
  let identity = await loadIdentity(directory);
  let acknowledged = await loadPosition(directory);
  const deadLetters = await openDeadLetters(directory);
  const lastAtOpen = Math.max(
    acknowledged,
    deadLetters.highest(),
    ...segments.map(({ last, first }) => Math.max(last, first - 1)),
  );
  // Sequence numbers of quarantined records must not be assigned again: core may know them.
  let last = lastAtOpen + (quarantine.counts().damaged > 0 ? 1_000_000 : 0);
  let largestDepth = 0;
  let largestBytes = 0;
  let closed = false;
  const listeners: (() => void)[] = [];
  const forget = (segment: Segment) => {
    const at = segments.indexOf(segment);
    if (at !== -1) segments.splice(at, 1);
  };
  const shared = { directory, segments, logger };
  const writer = createWriter({
    ...shared,
    segmentBytes: limitOf('segmentBytes'),
    begun: (segment) => void segments.push(segment),
    dropped: forget,
    grown: () => {
      largestDepth = Math.max(largestDepth, depth());
      largestBytes = Math.max(largestBytes, diskBytes());
      for (const listener of listeners) listener();
    },
  });
  const reader = createReader(segments, quarantine);

  const depth = () => segments.reduce((sum, segment) => sum + recordsAfter(segment, acknowledged), 0);
  const diskBytes = () => segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const inTurn = mutex();
  const position = () => acknowledged;
  const pruner = createPruner({ ...shared, writer, limitOf, acknowledged: position, inTurn, forget });
  const full = (share: number) =>
    diskBytes() + writer.waitingBytes() + deadLetters.bytes() >= share * limitOf('bytes') ||
    depth() + writer.waitingRecords() >= share * limitOf('deliveries');
  const staysFull = async (share: number) => {
    if (full(share)) await pruner.prune().catch(() => {});
    return full(share);
  };

  const append = createAppend({ writer, full, staysFull, isClosed: () => closed, next: () => ++last });

  return {
    deadLetters,
    lastAtOpen,
    identity: () => identity,
    append,
    read: (limits) => reader.read(acknowledged, limits),
    async acknowledge(sequence) {
      acknowledged = Math.max(acknowledged, Math.min(sequence, last));
      await inTurn(() => savePosition(directory, acknowledged, false));
      await pruner.prune();
    },
    rewind(sequence) {
      acknowledged = Math.min(acknowledged, sequence);
      for (const segment of segments) if (segment.last > acknowledged) segment.doneAt = null;
    },
    async restart() {
      identity = await renewIdentity(directory);
      acknowledged = 0;
      await inTurn(() => savePosition(directory, 0, true));
    },
    onGrown: (listener) => void listeners.push(listener),
    stats: () => ({
      depth: depth(),
      bytes: segments.reduce((sum, segment) => sum + bytesAfter(segment, acknowledged, reader), 0),
      disk_bytes: diskBytes(),
      largest_depth: largestDepth,
      largest_bytes: largestBytes,
      last_sequence: last,
      acknowledged,
      quarantined: quarantine.counts().damaged,
      torn_tails: quarantine.counts().torn,
      fault: writer.fault(),
    }),
    async readiness() {
      if (closed) return { ready: false, detail: 'The edge is shutting down.' };
      if (await staysFull(1))
        return { ready: false, detail: 'The spool is full until core accepts deliveries again.' };
      const fault = writer.fault() === null ? null : await writable(directory);
      if (fault === null) return { ready: true, detail: 'The spool accepts deliveries.' };
      return { ready: false, detail: `The spool is not writable (${fault}).` };
    },
    async close() {
      closed = true;
      pruner.stop();
      await writer.close();
      await inTurn(() => savePosition(directory, acknowledged, true)).catch((error: unknown) => {
        logger.warn({ error }, 'cannot save the position; some deliveries will be sent again');
      });
      await unlock();
    },
  };
}

/** Number of records of a segment after `sequence`; exact if the numbers have no gaps. */
function recordsAfter(segment: Segment, sequence: number): number {
  if (segment.last <= sequence) return 0;
  return Math.min(segment.records, segment.last - sequence);
}

function bytesAfter(
  segment: Segment,
  sequence: number,
  reader: { offset(after: number): number | null },
): number {
  if (segment.last <= sequence) return 0;
  if (segment.first > sequence) return segment.bytes;
  return segment.bytes - (reader.offset(sequence) ?? 0);
}
