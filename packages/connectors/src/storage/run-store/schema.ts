import { CulpritError, type Logger } from '@culprit/core/connector';
import type { KeyValue, Operation } from './key-value.js';
import { after, keys } from './keys.js';
import { decode, encode } from './run-parts.js';
import { INDEX_VERSION } from './search/index-state.js';

/** Version of the stored format. Raise it with every change that an older Culprit cannot read. */
export const SCHEMA = '2';

/** Migrates a store from one version to the next. Must be safe to run again after an interruption. */
type Migration = (store: KeyValue, now: string) => Promise<void>;

/** By the version they start from. */
const MIGRATIONS: Readonly<Record<string, { readonly to: string; readonly run: Migration }>> = {
  '1': { to: '2', run: dateEventIds },
};

/** Migrates a store to the current version step by step. Refuses a store written by a newer Culprit. */
export async function migrate(store: KeyValue, logger: Logger, now: string): Promise<void> {
  const [found] = await store.getMany([keys.schema]);
  if (found === undefined) {
    const put = (key: string, value: string): Operation => ({ type: 'put', key, value });
    return store.batch([put(keys.schema, SCHEMA), put(keys.indexed, INDEX_VERSION)]);
  }
  for (let schema = found; schema !== SCHEMA; ) {
    const step = MIGRATIONS[schema];
    if (step === undefined) throw unknownSchema(schema);
    logger.info({ from: schema, to: step.to }, 'migrating the storage');
    await step.run(store, now);
    await store.batch([{ type: 'put', key: keys.schema, value: step.to }]);
    schema = step.to;
  }
}

export function unknownSchema(schema: string): CulpritError {
  return new CulpritError(
    'configuration',
    `The storage was written by another version of Culprit (schema ${schema.slice(0, 16)}; this version uses ${SCHEMA}). Start that version, or choose an empty storage.`,
  );
}

const CHUNK = 1_000;

/** Adds a time to event ids, so that retention can delete them. Existing ones get the current time. */
async function dateEventIds(store: KeyValue, now: string): Promise<void> {
  for (let gt = 'k/'; ; ) {
    const found = await store.entries({ gt, lt: after('k/'), limit: CHUNK });
    const operations = found.flatMap(([key, text]): Operation[] => {
      const known = decode<{ readonly at?: string }>(text, 'event key');
      return known.at === undefined ? [{ type: 'put', key, value: encode({ ...known, at: now }) }] : [];
    });
    if (operations.length > 0) await store.batch(operations);
    if (found.length < CHUNK) return;
    gt = found.at(-1)?.[0] ?? gt;
  }
}
