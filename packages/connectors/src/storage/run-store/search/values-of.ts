import type { ValueCount, ValuesQuery } from '@culprit/core/internal/ports/run-values';
import type { KeyValue } from '../key-value.js';
import { keys } from '../keys.js';
import { preparedOfText } from './document-text.js';
import { bucketOfValue, bucketsOfField } from './entries.js';
import { readBlocks } from './find-runs.js';
import { readIndexState } from './index-state.js';
import { BLOCK, linesOf, offsetsOf } from './postings.js';

/** Blocks that are read, the latest: values of older runs are not suggested. */
const BLOCKS = 200;

/** The values of a qualifier that start with the prefix, most frequent first, in the latest 100,000 runs. */
export async function valuesOf(
  store: Pick<KeyValue, 'getMany'>,
  { field, prefix, limit }: ValuesQuery,
): Promise<readonly ValueCount[]> {
  const { first, sealed, numbers } = await readIndexState(store);
  const beginning = prefix.toLowerCase();
  const counts = new Map<string, number>();
  const add = (value: string, runs: number) => {
    if (value.startsWith(beginning)) counts.set(value, (counts.get(value) ?? 0) + runs);
  };
  const from = Math.max(first, sealed - BLOCKS);
  const blocks = Array.from({ length: Math.max(0, sealed - from) }, (_, at) => from + at);
  const buckets = beginning === '' ? bucketsOfField(field) : [bucketOfValue(field, beginning)];
  for (const bucket of buckets) {
    for (const text of await readBlocks(store, bucket, blocks))
      for (const [value, posting] of linesOf(text ?? '')) add(value, offsetsOf(posting).length);
  }
  const others = Array.from(
    { length: Math.max(0, numbers - sealed * BLOCK) },
    (_, at) => sealed * BLOCK + at,
  );
  for (const text of others.length > 0 ? await store.getMany(others.map(keys.document)) : []) {
    if (text === undefined) continue;
    for (const [own, value] of preparedOfText(text).values) if (own === field) add(value, 1);
  }
  return [...counts]
    .map(([value, runs]) => ({ value, runs }))
    .sort((a, b) => b.runs - a.runs || (a.value < b.value ? -1 : 1))
    .slice(0, limit);
}
