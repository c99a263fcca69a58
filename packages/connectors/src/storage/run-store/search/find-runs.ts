import type { RunState } from '@culprit/core';
import type { SearchTerm } from '@culprit/core/internal/domain/search/parse-search';
import { isValueField } from '@culprit/core/internal/domain/search/qualifiers';
import { searchedWords } from '@culprit/core/internal/domain/search/words';
import { batchesOf } from '@culprit/core/internal/resilience/batches';
import type { KeyValue } from '../key-value.js';
import { keys } from '../keys.js';
import { matchesPrepared, preparedOfText } from './document-text.js';
import { bucketOfId, bucketOfValue, bucketOfWord } from './entries.js';
import type { IndexState } from './index-state.js';
import { addMatches, type Bits, BLOCK, bitsFor, countOf, has, intersect, numbersOf } from './postings.js';

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
export async function readBlocks(
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
