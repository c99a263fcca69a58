import * as v from 'valibot';
import type { Check, ConnectorParts } from '../connector/connector.js';
import { secret } from '../connector/define-connector.js';
import { AUDIT_KEY_CHARS } from '../domain/history.js';
import type { CacheStore } from '../ports/cache.js';
import type { Logger } from '../ports/logger.js';
import { startBackground } from './background.js';
import { personErasure } from './erase/walk.js';
import type { KeyValue } from './key-value.js';
import { keys } from './keys.js';
import { openStore } from './open-store.js';
import { DEFAULT_RETENTION, type Retention } from './retention.js';

/** A {@link KeyValue} and what operators see of it. */
export interface Driver {
  readonly store: KeyValue;
  /** How durable it is, in a sentence. */
  readonly detail: string;
  /** What all processes cache there. */
  readonly cache?: CacheStore;
  /** Removes replaced data from the disk. `progress` receives approximate bytes: done, and in total. */
  compact?(progress?: (done: number, all: number) => void): Promise<void>;
  /** What its files have lost. */
  checks?(): readonly Check[];
}

/** Options of a storage. */
export interface StorageOptions {
  readonly logger: Logger;
  /** Entries that the status feed buffers for reconnecting readers. Default: 10,000. */
  readonly feedEntries?: number;
  /** How long event ids are remembered to detect duplicates, in ms. Default: 30 days. */
  readonly eventIdMs?: number;
  /** Seals the history of every run. Default: histories are not sealed. */
  readonly auditKey?: string | null;
  /** Maximum age and number of runs by state; `null` keeps all. */
  readonly retention?: Retention | null;
  /** Where caches are shared, instead of the driver's. */
  readonly cache?: CacheStore | undefined;
}

const keeping = v.strictObject({
  ageMs: v.pipe(v.number(), v.minValue(0)),
  count: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
const retentionSchema = v.record(
  v.picklist(['staged_raw', 'staged_draft', 'snoozed', 'rejected', 'published', 'merged']),
  keeping,
);
const auditKeySchema = v.pipe(
  secret(),
  v.minLength(AUDIT_KEY_CHARS, `must have ${AUDIT_KEY_CHARS} characters or more`),
);

/** What every storage lets its operator choose: entries of its configuration, for {@link storageParts}. */
export const storageSettings = {
  /** Maximum age and number of runs by state; `null` keeps all runs forever. */
  retention: v.optional(v.nullable(retentionSchema), DEFAULT_RETENTION),
  /** Seals the history of every run, so that changes can be detected. Store the key outside the storage. */
  auditKey: v.optional(v.nullable(auditKeySchema), null),
};

export const FEED_ENTRIES = 10_000;
export const EVENT_ID_MS = 30 * 24 * 60 * 60_000;

/**
 * All ports of a storage over a key-value store, for the `setup` of a connector. It starts work in the background, which `close`
 * stops; `close` also closes the store. A failure closes the store, too.
 */
export async function storageParts(driver: Driver, options: StorageOptions): Promise<ConnectorParts> {
  const { logger, feedEntries = FEED_ENTRIES, eventIdMs = EVENT_ID_MS, auditKey = null } = options;
  const { retention = DEFAULT_RETENTION } = options;
  const opened = await openStore(driver.store, { logger, feedEntries, auditKey }).catch(async (error) => {
    await driver.store.close();
    throw error;
  });
  const { reads, writer, values, seal, close, ...ports } = opened;
  const cache = options.cache ?? driver.cache;
  const stop = startBackground({
    ...{ reads, writer, values, logger, retention, now: Date.now },
    eventIdMs: reads.expires ? null : eventIdMs,
  });
  const compact = async () => driver.compact?.();
  return {
    ...ports,
    values,
    ...(cache && { cache }),
    personErasure: personErasure({ reads, writer, values, seal, cache, compact }),
    async check() {
      await writer.write(async (tx) => tx.put('m/check', 'ok'));
      const [loss] = await reads.getMany([keys.loss]);
      const found = [...(driver.checks?.() ?? []), ...(loss === undefined ? [] : [lossCheck(loss)])];
      return [{ name: 'storage', ok: true, detail: driver.detail }, ...found];
    },
    close: () => stop().then(close),
  };
}

const SAID_MS = 7 * 24 * 60 * 60_000;

/** What the store has lost; a warning for a week. */
function lossCheck(loss: string): Check {
  const at = loss.slice(0, loss.indexOf(' '));
  const age = Date.now() - Date.parse(at);
  const detail = `On ${at}${loss.slice(at.length)}. Crashes and decisions of that time may be missing. Core asks edges that connect for the deliveries that this storage lacks; it is unknown whether they still had all of them.`;
  return { name: 'storage loss', ok: age > SAID_MS, optional: true, detail };
}
