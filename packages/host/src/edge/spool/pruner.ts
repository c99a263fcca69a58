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
  /** One at a time; who asks while one runs shares the next. */
  prune(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 30_000;

/**
 * Deletes segments that core has taken, when their time is over or the spool is half full. Before that they are kept,
 * in case core comes back from an older state.
 */
export function createPruner(parts: PrunerParts): Pruner {
  const { directory, segments, writer, limitOf, acknowledged } = parts;
  let pruning: Promise<void> | null = null;
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
    pruning ??= parts.inTurn(() => {
      pruning = null;
      return pruneNow();
    });
    return pruning;
  };
  const tidy = setInterval(
    () => prune().catch((error: unknown) => parts.logger.error({ error }, 'pruning failed')),
    EVERY_MS,
  );
  tidy.unref();
  return { prune, stop: () => clearInterval(tidy) };
}
