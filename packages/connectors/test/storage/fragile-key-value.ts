import { CulpritError } from '@culprit/core/connector';
import type { KeyValue } from '../../src/storage/run-store/key-value.js';

/** Fails batches on demand, before or after they are written. */
export function fragileKeyValue(inner: KeyValue) {
  let mode: 'never' | 'before' | 'after' = 'never';
  let recoveries = 0;
  const broken = () => new CulpritError('storage_unavailable', 'The disk is full.');
  const store: KeyValue = {
    ...inner,
    batch: async (operations) => {
      if (mode === 'before') throw broken();
      await inner.batch(operations);
      if (mode === 'after') throw broken();
    },
    recover: async () => {
      recoveries += 1;
    },
  };
  return {
    store,
    fail: (how: typeof mode) => {
      mode = how;
    },
    recovered: () => recoveries,
  };
}
