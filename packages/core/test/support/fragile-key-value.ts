import { CulpritError } from '../../src/errors/error.js';
import type { KeyValue } from '../../src/store/key-value.js';

/** Fails commits on demand, before or after they are written. */
export function fragileKeyValue(inner: KeyValue) {
  let mode: 'never' | 'before' | 'after' = 'never';
  let recoveries = 0;
  const broken = () => new CulpritError('storage_unavailable', 'The disk is full.');
  const store: KeyValue = {
    ...inner,
    commit: async (commit) => {
      if (mode === 'before') throw broken();
      const done = await inner.commit(commit);
      if (mode === 'after') throw broken();
      return done;
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
