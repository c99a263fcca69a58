import type { Logger } from '@culprit/core';
import type { Segment } from './segment.js';
import type { SpoolLimits } from './spool.js';
import { savePosition } from './state-files.js';
import { deleteSegment, type Writer } from './writer.js';

export interface PrunerParts {
  readonly directory: string;
  readonly segments: readonly Segment[];
  readonly writer: Writer;
  readonly limitOf: (name: keyof SpoolLimits) => number;
  readonly acknowledged: () => number;
  readonly inTurn: <T>(act: () => Promise<T>) => Promise<T>;
  readonly forget: (segment: Segment) => void;
  readonly logger: Logger;
}

export interface Pruner {
  /** Runs one at a time; calls during a run share the next one. */
  prune(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 30_000;

/**
 * Deletes acknowledged segments once their retention is over or the spool is half full. Until then they are kept in
 * case core is restored from an older state.
 */
export function createPruner(parts: PrunerParts): Pruner {
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
