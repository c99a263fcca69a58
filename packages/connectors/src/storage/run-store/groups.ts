import type { KeyValue, Operation } from './key-value.js';

/** What a group of writes reads and, once, writes. */
export interface Group extends Pick<KeyValue, 'getMany' | 'entries'> {
  /** All or nothing, durable when it resolves. False: somebody else has changed what was read; nothing was written. */
  commit(operations: readonly Operation[]): Promise<boolean>;
}

/** How a writer comes to its store: one group after another. */
export interface Groups {
  /** True: nobody else writes, so a group can be made on top of one that is still being written. */
  readonly alone?: true;
  begin(): Group;
  /** See `KeyValue.recover`. */
  recover(): Promise<void>;
}

/** On a store that this process owns nobody else can come in between. */
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
