import { CulpritError, type Logger } from '@culprit/core';
import type { KeyValue, Operation } from './key-value.js';
import { after, keys } from './keys.js';
import { decode, encode } from './run-parts.js';

/** The version of what is written. Raised with every change that an older Culprit could not read. */
export const SCHEMA = '2';

/** Makes a store of one version one of the next. May be cut short and begin again: what is done already stays done. */
type Migration = (store: KeyValue, now: string) => Promise<void>;

/** By the version that they start from. */
const MIGRATIONS: Readonly<Record<string, { readonly to: string; readonly run: Migration }>> = {
  '1': { to: '2', run: dateEventIds },
};

/** Brings a store to today's version, step by step, or refuses one that a newer Culprit wrote. */
export async function migrate(store: KeyValue, logger: Logger, now: string): Promise<void> {
  const [found] = await store.getMany([keys.schema]);
  if (found === undefined) return store.batch([{ type: 'put', key: keys.schema, value: SCHEMA }]);
  for (let schema = found; schema !== SCHEMA; ) {
    const step = MIGRATIONS[schema];
    if (step === undefined) throw unknownSchema(schema);
    logger.info({ from: schema, to: step.to }, 'the storage is brought to the next version');
    await step.run(store, now);
    await store.batch([{ type: 'put', key: keys.schema, value: step.to }]);
    schema = step.to;
  }
}

export function unknownSchema(schema: string): CulpritError {
  return new CulpritError(
    'configuration',
    `The storage was written by another version of Culprit (schema ${schema.slice(0, 16)}, this one speaks ${SCHEMA}). Start that version, or choose an empty one.`,
  );
}

const CHUNK = 1_000;

/** Event ids say when they came, so that retention can forget them; of older ones that is now. */
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
