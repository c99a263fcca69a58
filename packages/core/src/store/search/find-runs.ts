import type { RunState } from '../../domain/run.js';
import type { SearchTerm } from '../../domain/search/parse-search.js';
import { isValueField } from '../../domain/search/qualifiers.js';
import { searchedWords } from '../../domain/search/words.js';
import type { ValueCount, ValuesQuery } from '../../ports/run-values.js';
import { batchesOf } from '../../resilience/batches.js';
import type { KeyValue } from '../key-value.js';
import { keys } from '../keys.js';
import {
  bucketOfId,
  bucketOfValue,
  bucketOfWord,
  bucketsOfField,
  matchesPrepared,
  preparedOfText,
} from './document-text.js';
import { type IndexState, readIndexState } from './index-state.js';
import {
  addMatches,
  type Bits,
  BLOCK,
  bitsFor,
  countOf,
  has,
  intersect,
  linesOf,
  numbersOf,
  offsetsOf,
} from './postings.js';

type Reads = Pick<KeyValue, 'getMany'>;

/** The runs that may match: all that match, and of terms that lines decide, others with the same words. */
export interface Found {
  readonly count: number;
  has(number: number): boolean;
  numbers(): Iterable<number>;
}

/** What to find. The empty filter finds every run. */
export interface Filter {
  readonly terms: readonly SearchTerm[];
  /** One of these; empty for any. */
  readonly states: readonly RunState[];
}

/** Looks the terms up in the buckets of sealed blocks, and compares the documents of the others. */
export async function findRuns(store: Reads, state: IndexState, filter: Filter): Promise<Found> {
  const [sealed, others] = await Promise.all([
    findSealed(store, state, filter),
    findOthers(store, state, filter),
  ]);
  const offset = state.first * BLOCK;
  return {
    count: countOf(sealed) + others.size,
    has: (number) => others.has(number) || (number >= offset && has(sealed, number - offset)),
    *numbers() {
      for (const number of numbersOf(sealed)) yield offset + number;
      yield* others;
    },
  };
}

async function findSealed(store: Reads, state: IndexState, { terms, states }: Filter): Promise<Bits> {
  const buckets = bucketReader(store, state);
  // Every run has a state.
  const wanted =
    states.length === 0 ? [{ text: '', exact: false }] : states.map((text) => ({ text, exact: true }));
  const found = await buckets.union(wanted.map((one) => ({ bucket: 'state', ...one })));
  for (const term of terms) intersect(found, await bitsOf(buckets, term));
  return found;
}

type Buckets = ReturnType<typeof bucketReader>;
interface Wanted {
  readonly bucket: string;
  readonly text: string;
  readonly exact: boolean;
}

/** Reads each bucket once for a search. */
function bucketReader(store: Reads, { first, sealed }: IndexState) {
  const blocks = Array.from({ length: Math.max(0, sealed - first) }, (_, at) => first + at);
  const known = new Map<string, Promise<(string | undefined)[]>>();
  const read = (bucket: string) => {
    const texts = known.get(bucket) ?? readBlocks(store, bucket, blocks);
    known.set(bucket, texts);
    return texts;
  };
  return {
    async union(all: readonly Wanted[]): Promise<Bits> {
      const bits = bitsFor(blocks.length);
      for (const { bucket, text, exact } of all) {
        for (const [block, own] of (await read(bucket)).entries())
          if (own !== undefined) addMatches(bits, block, own, text, exact);
      }
      return bits;
    },
  };
}

/** One bucket of every block, some at a time: a shared store serves others in between. */
async function readBlocks(
  store: Reads,
  bucket: string,
  blocks: readonly number[],
): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  for (const some of batchesOf(blocks, BLOCKS_AT_ONCE))
    texts.push(...(await store.getMany(some.map((block) => keys.postings(bucket, block)))));
  return texts;
}
const BLOCKS_AT_ONCE = 500;

async function bitsOf(buckets: Buckets, { field, text, exact }: SearchTerm): Promise<Bits> {
  if (field !== null && isValueField(field))
    return buckets.union([{ bucket: bucketOfValue(field, text), text, exact }]);
  const [first, ...rest] = searchedWords(text).map((word) => ({
    bucket: bucketOfWord(word),
    text: word,
    exact: word.length === 1,
  }));
  if (first === undefined) return buckets.union([{ bucket: 'state', text: '', exact: false }]);
  const found = await buckets.union([first]);
  for (const one of rest) intersect(found, await buckets.union([one]));
  if (field !== null) return found;
  const named = await buckets.union([{ bucket: bucketOfId(text), text, exact: true }]);
  for (const [at, byte] of named.bytes.entries()) found.bytes[at] = (found.bytes[at] ?? 0) | byte;
  return found;
}

const DOCUMENTS_AT_ONCE = 500;

/** The runs outside sealed blocks that match. */
async function findOthers(
  store: Reads,
  { sealed, numbers }: IndexState,
  { terms, states }: Filter,
): Promise<ReadonlySet<number>> {
  const from = sealed * BLOCK;
  const all = Array.from({ length: Math.max(0, numbers - from) }, (_, at) => from + at);
  const found = new Set<number>();
  for (const some of batchesOf(all, DOCUMENTS_AT_ONCE)) {
    for (const [at, text] of (await store.getMany(some.map(keys.document))).entries()) {
      if (text === undefined) continue;
      const document = preparedOfText(text);
      if (matchesPrepared(document, terms, states)) found.add(some[at] ?? 0);
    }
  }
  return found;
}

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
