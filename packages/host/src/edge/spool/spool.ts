import { mkdir } from 'node:fs/promises';
import { CulpritError, type Logger } from '@culprit/core';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { mutex } from '@culprit/core/internal/resilience/mutex';
import { EDGE_LIMIT_SETTINGS } from '../limits.js';
import { type DeadLetters, openDeadLetters } from './dead-letters.js';
import { lockSpool } from './lock.js';
import type { NewDelivery } from './new-delivery.js';
import { openQuarantine } from './quarantine.js';
import { createReader, type ReadLimits, type SpoolBatch } from './reader.js';
import { HEADER_BYTES, MAX_PAYLOAD_BYTES, recordBytes, sealRecord } from './record-bytes.js';
import { createRecordRoom, type RecordRoom } from './record-room.js';
import { recoverSegments, type Segment } from './segment.js';
import { loadIdentity, loadPosition, renewIdentity, savePosition, writable } from './state-files.js';
import { createWriter, deleteSegment, type Waiting, type Writer } from './writer.js';

export interface SpoolLimits {
  /** Maximum bytes on disk. Appends beyond it are refused. */
  readonly bytes: number;
  readonly deliveries: number;
  readonly segmentBytes: number;
  /** How long acknowledged deliveries are kept in case core is restored from an older state. */
  readonly keepMs: number;
}
const SPOOL_LIMITS: SpoolLimits = {
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

interface SpoolOptions {
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

interface AppendParts {
  readonly writer: Writer;
  /** `share`: of the spool, that may be used. */
  readonly full: (share: number) => boolean;
  /** After deleting all that may be deleted. */
  readonly staysFull: (share: number) => Promise<boolean>;
  readonly isClosed: () => boolean;
  /** The next sequence number. */
  readonly next: () => number;
}

/** A flood from public keys, which anyone may have, leaves half of the spool to senders with a secret. */
const UNTRUSTED_SHARE = 0.5;

/** The deliveries of one request have the same sender. */
function shareOf([first]: readonly NewDelivery[]): number {
  return first !== undefined && trustOf(first) === 'untrusted' ? UNTRUSTED_SHARE : 1;
}

/** Encodes deliveries, immediately if there is space, and passes them to the writer. */
function createAppend(parts: AppendParts): (deliveries: readonly NewDelivery[]) => Promise<void> {
  const room = createRecordRoom();
  const write = (deliveries: readonly NewDelivery[]) => {
    try {
      return parts.writer.append(deliveries.map((delivery) => recordOf(room, delivery, parts.next())));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const writeWhenRoom = async (deliveries: readonly NewDelivery[]) => {
    if (parts.isClosed())
      throw new CulpritError('overloaded', 'The edge is shutting down. Send again in a moment.');
    if (await parts.staysFull(shareOf(deliveries)))
      throw new CulpritError('overloaded', 'The spool is full until core accepts deliveries again.');
    await write(deliveries);
  };
  return (deliveries) =>
    parts.isClosed() || parts.full(shareOf(deliveries))
      ? writeWhenRoom(deliveries.map(owned))
      : write(deliveries);
}

/** The bytes of a crash may be reused after the first await. */
function owned(delivery: NewDelivery): NewDelivery {
  const { crash } = delivery;
  return crash instanceof Uint8Array ? { ...delivery, crash: Buffer.from(crash) } : delivery;
}

interface PrunerParts {
  readonly directory: string;
  readonly segments: readonly Segment[];
  readonly writer: Writer;
  readonly limitOf: (name: keyof SpoolLimits) => number;
  readonly acknowledged: () => number;
  readonly inTurn: <T>(act: () => Promise<T>) => Promise<T>;
  readonly forget: (segment: Segment) => void;
  readonly logger: Logger;
}

interface Pruner {
  /** Runs one at a time; calls during a run share the next one. */
  prune(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 30_000;

/**
 * Deletes acknowledged segments once their retention is over or the spool is half full. Until then they are kept in
 * case core is restored from an older state.
 */
function createPruner(parts: PrunerParts): Pruner {
  const { directory, segments, writer, limitOf, acknowledged } = parts;
  let next: Promise<void> | null = null;
  const pruneNow = async () => {
    const now = Date.now();
    let disk = segments.reduce((sum, { bytes }) => sum + bytes, 0) + writer.waitingBytes();
    for (const segment of [...segments]) {
      if (segment.last > acknowledged()) continue;
      segment.doneAt ??= now;
      const keep = now - segment.doneAt < limitOf('keepMs') && disk <= limitOf('bytes') / 2;
      if (keep) continue;
      if (segment === segments.at(-1) && !(await writer.rotate())) continue;
      await savePosition(directory, acknowledged(), true);
      if (segment.last > acknowledged()) continue;
      await deleteSegment(segment);
      disk -= segment.bytes;
      parts.forget(segment);
    }
  };
  const prune = () => {
    // Not before `next` is set: the turn may begin at once.
    next ??= Promise.resolve().then(() =>
      parts.inTurn(() => {
        next = null;
        return pruneNow();
      }),
    );
    return next;
  };
  const tidy = setInterval(
    () => prune().catch((error: unknown) => parts.logger.error({ error }, 'pruning failed')),
    EVERY_MS,
  );
  tidy.unref();
  return { prune, stop: () => clearInterval(tidy) };
}

/** Maximum bytes of a UTF-16 unit in UTF-8. Texts up to `SHORT` are not measured first. */
const WIDEST = 3;
const SHORT = 32_768;
const CLOSING_BRACE = 125;

/** Encodes a delivery as a record. Throws `too_large`. */
function recordOf(room: RecordRoom, delivery: NewDelivery, sequence: number): Waiting {
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
