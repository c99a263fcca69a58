import type { Logger } from '@culprit/core/connector';
import { type Feed, openFeed } from './feed.js';
import { ownGroups } from './groups.js';
import type { KeyValue } from './key-value.js';
import { type RunStorage, runStorage } from './run-storage.js';
import { migrate } from './schema.js';
import { sealWith } from './seal.js';
import { createWriter, type Writer } from './writer.js';

export interface EmbeddedStorage extends RunStorage {
  /** For other data in the same store. */
  readonly writer: Writer;
  readonly feed: Feed;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly logger: Logger;
  /** Entries buffered by the status feed. */
  readonly feedEntries: number;
  /** Seals histories; `null`: histories are not sealed. */
  readonly auditKey?: string | null;
}

/** Run store, history and feed over a {@link KeyValue} that nothing else may use. */
export async function embeddedStorage(store: KeyValue, options: EmbeddedOptions): Promise<EmbeddedStorage> {
  await migrate(store, options.logger, new Date().toISOString());
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
