import type { Check, Logger } from '@culprit/core/connector';
import type { CacheStore } from '@culprit/core/internal/ports/cache';
import type { Values } from '@culprit/core/internal/ports/values';
import type { Feed } from '../run-store/feed.js';
import { keys } from '../run-store/keys.js';
import { type RunStorage, runStorage } from '../run-store/run-storage.js';
import { SCHEMA, unknownSchema } from '../run-store/schema.js';
import { sealWith } from '../run-store/seal.js';
import { createWriter, type Writer } from '../run-store/writer.js';
import { connectRedis, type Redis } from './connection.js';
import { PREFIX } from './layout.js';
import { SET_IF_ABSENT } from './scripts.js';
import { checkServer } from './server-facts.js';
import { sharedCache } from './shared-cache.js';
import { openSharedFeed } from './shared-feed.js';
import { sharedGroups } from './shared-groups.js';
import { type SharedReads, sharedReads } from './shared-reads.js';
import { sharedValues } from './shared-values.js';

export interface SharedStorage extends RunStorage {
  readonly values: Values;
  readonly cache: CacheStore;
  readonly reads: SharedReads;
  readonly writer: Writer;
  readonly feed: Feed;
  /** For tools. */
  readonly redis: Redis;
  check(): Promise<readonly Check[]>;
  close(): Promise<void>;
}

export interface SharedOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly feedEntries: number;
  /** How long event ids are remembered, in ms. */
  readonly eventIdMs: number;
  /** Seals histories; `null`: histories are not sealed. */
  readonly auditKey: string | null;
}

/** Storage that any number of processes share through one Redis. Rejects if Redis is unreachable or would lose state. */
export async function sharedStorage(options: SharedOptions): Promise<SharedStorage> {
  const redis = await connectRedis(options.url, options.logger);
  try {
    return await open(redis, options);
  } catch (error) {
    redis.close();
    throw error;
  }
}

async function open(redis: Redis, options: SharedOptions): Promise<SharedStorage> {
  const { logger, feedEntries, eventIdMs } = options;
  const facts = await checkServer(redis.client, logger);
  const reads = sharedReads(redis);
  const feed = await openSharedFeed(redis, reads, logger);
  const schema = String(await redis.script(SET_IF_ABSENT, [PREFIX + keys.schema, SCHEMA]));
  if (schema !== SCHEMA) throw unknownSchema(schema);
  const groups = sharedGroups({ redis, reads, feed, feedEntries, eventIdMs });
  const writer = createWriter(groups, feed.catchUp);
  return {
    ...runStorage({ reads, writer, feed, seal: sealWith(options.auditKey), shared: true }),
    values: await sharedValues(redis),
    cache: await sharedCache(redis),
    reads,
    writer,
    feed,
    redis,
    check: async () => {
      await redis.use((client) => client.set(`${PREFIX}m/check`, 'ok'));
      return [{ name: 'storage', ok: true, detail: facts.detail }];
    },
    close: async () => {
      feed.close();
      await writer.close();
      redis.close();
    },
  };
}
