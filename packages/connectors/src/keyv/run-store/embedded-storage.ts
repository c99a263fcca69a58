import { CulpritError, type Logger } from '@culprit/core';
import { type Feed, openFeed } from './feed.js';
import { ownGroups } from './groups.js';
import type { KeyValue } from './key-value.js';
import { keys } from './keys.js';
import { type RunStorage, runStorage } from './run-storage.js';
import { sealWith } from './seal.js';
import { createWriter, type Writer } from './writer.js';

export interface EmbeddedStorage extends RunStorage {
  /** For what else is kept in the same store. */
  readonly writer: Writer;
  readonly feed: Feed;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly logger: Logger;
  /** How many entries the status feed keeps. */
  readonly feedEntries: number;
  /** Seals histories; `null`: they are not sealed. */
  readonly auditKey?: string | null;
}

export const SCHEMA = '1';

/** Run store, history and feed over any {@link KeyValue}, which must be this object's alone. */
export async function embeddedStorage(store: KeyValue, options: EmbeddedOptions): Promise<EmbeddedStorage> {
  const [schema] = await store.getMany([keys.schema]);
  if (schema === undefined) await store.batch([{ type: 'put', key: keys.schema, value: SCHEMA }]);
  else checkSchema(schema);
  const feed = await openFeed(store, { keep: options.feedEntries, logger: options.logger });
  const writer = createWriter(ownGroups(store), feed.catchUp);
  return {
    ...runStorage({ reads: store, writer, feed, seal: sealWith(options.auditKey ?? null) }),
    writer,
    feed,
    close: async () => {
      await writer.close();
      await store.close();
    },
  };
}

/** Throws for a store that another version of Culprit wrote. */
export function checkSchema(schema: string): void {
  if (schema === SCHEMA) return;
  throw new CulpritError(
    'configuration',
    `The storage was written by another version of Culprit (schema ${schema.slice(0, 16)}, this one speaks ${SCHEMA}). Start that version, or choose an empty directory.`,
  );
}
