import type { KeyValue, Operation } from './key-value.js';

/** What a group of writes reads and, once, writes. */
export interface Group extends Pick<KeyValue, 'getMany' | 'entries'> {
  /** All or nothing, and durable when it resolves. False: another process changed what was read, so nothing was written. */
  commit(operations: readonly Operation[]): Promise<boolean>;
}

/** How a writer accesses its store: one group after another. */
export interface Groups {
  /** True: nobody else writes, so a group can build on one that is still being written. */
  readonly alone?: true;
  begin(): Group;
  /** A number that no run of any process has. Absent: nobody else writes, so the next one is. */
  number?(): Promise<number>;
  /** See `KeyValue.recover`. */
  recover(): Promise<void>;
}

/** For a store that this process owns: no other writer can interfere. */
export function ownGroups(store: KeyValue): Groups {
  const group: Group = {
    getMany: store.getMany,
    entries: store.entries,
    commit: async (operations) => {
      await store.batch(operations);
      return true;
    },
  };
  return { alone: true, begin: () => group, recover: store.recover };
}
