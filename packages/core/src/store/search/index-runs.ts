import type { Event } from '../../domain/event.js';
import { batchesOf } from '../../resilience/batches.js';
import { walkList } from '../key-value.js';
import { keys, scope } from '../keys.js';
import { hasCountedUsers, withUsers } from '../occurrence-log.js';
import type { RetentionParts } from '../retention.js';
import { decode, type RunHead } from '../run-parts.js';
import { writeHead } from '../write-run.js';
import type { Transaction, Writer } from '../writer.js';
import { documentOfText, entriesOf, runIdOfText } from './document-text.js';
import { blocksOfText, INDEX_VERSION } from './index-state.js';
import { BLOCK, bucketText, postingOf } from './postings.js';

/** Runs looked at, and runs indexed, in one step. */
const LOOKED = 1_000;
const STEP = 100;

export interface Indexing extends Pick<RetentionParts, 'reads' | 'writer'> {
  /** Called between steps. */
  readonly pause?: () => Promise<void>;
  /** Receives the number of runs looked at. */
  readonly progress?: ((runs: number) => void) | undefined;
  /** Also reads every run in the index, in case an older version has written it since. Default: only if the index is of an older version. */
  readonly every?: boolean;
}

/**
 * Indexes the runs that are not in the index, and counts users that are not counted, in small steps: of runs that an older
 * version wrote, or that were imported. Returns how many.
 */
export async function indexRuns({
  reads,
  writer,
  pause = async () => {},
  progress = () => {},
  every = false,
}: Indexing): Promise<number> {
  const [version] = await reads.getMany([keys.indexed]);
  const older = version !== INDEX_VERSION;
  let indexed = 0;
  let looked = 0;
  for await (const found of walkList(reads, keys.activity(scope(), ''), LOOKED)) {
    const missing = found.filter(([, value]) => older || every || value === '').map(idOf);
    for (const ids of batchesOf(missing, STEP)) {
      const wanted = await unindexedOf(reads, ids);
      if (wanted.length > 0) {
        indexed += await indexStep(writer, wanted);
        await sealBlocks(writer);
      }
      await pause();
    }
    looked += found.length;
    progress(looked);
  }
  await sealBlocks(writer);
  if (older) await writer.write(async (tx) => tx.put(keys.indexed, INDEX_VERSION));
  return indexed;
}

const idOf = ([key]: readonly [key: string, value: string]) => key.slice(key.lastIndexOf('/') + 1);

/** Read outside of writes, which would wait. */
async function unindexedOf(reads: Indexing['reads'], ids: readonly string[]): Promise<readonly string[]> {
  const texts = await reads.getMany(ids.map(keys.head));
  return ids.filter((_, at) => {
    const text = texts[at];
    if (text === undefined) return false;
    const head = decode<RunHead>(text, 'run');
    return head.number === undefined || !hasCountedUsers(head);
  });
}

function indexStep(writer: RetentionParts['writer'], ids: readonly string[]): Promise<number> {
  return writer.write(async (tx) => {
    let indexed = 0;
    const texts = await tx.getMany([...ids.map(keys.head), ...ids.map(keys.event)]);
    for (const at of ids.keys()) {
      const [headText, eventText] = [texts[at], texts[ids.length + at]];
      if (headText === undefined || eventText === undefined) continue;
      const head = decode<RunHead>(headText, 'run');
      const known = await isIndexed(tx, head);
      const counted = hasCountedUsers(head);
      if (head.tombstone || (known && counted)) continue;
      const before: RunHead = known ? head : { ...head, number: undefined };
      const next = counted ? before : await withUsers(tx, before);
      await writeHead(tx, before, next, { event: decode<Event>(eventText, 'event') });
      indexed += 1;
    }
    return indexed;
  });
}

/** Another process may have indexed it meanwhile. */
async function isIndexed(tx: Transaction, { number, run }: RunHead): Promise<boolean> {
  if (number === undefined) return false;
  const [text] = await tx.getMany([keys.document(number)]);
  return text !== undefined && runIdOfText(text) === run.run_id;
}

/** Seals every block that is full, each in one write. Returns how many. */
export async function sealBlocks(writer: Writer): Promise<number> {
  for (let sealed = 0; ; sealed++) {
    if (!(await writer.write(sealNext))) return sealed;
  }
}

/** Moves the terms of one block's documents into buckets. False if no block is full. */
async function sealNext(tx: Transaction): Promise<boolean> {
  const [blocks, numbers] = await tx.getMany([keys.sealed, keys.numbers]);
  const { first, sealed } = blocksOfText(blocks);
  if (Number(numbers ?? 0) < (sealed + 1) * BLOCK) return false;
  const own = Array.from({ length: BLOCK }, (_, offset) => keys.document(sealed * BLOCK + offset));
  const texts = await tx.getMany(own);
  const buckets = new Map<string, Map<string, number[]>>();
  for (const [offset, text] of texts.entries()) {
    // A number that was reserved and never used, or a run that was deleted.
    if (text === undefined) continue;
    for (const [bucket, term] of entriesOf(documentOfText(text))) {
      const terms = buckets.get(bucket) ?? new Map<string, number[]>();
      buckets.set(bucket, terms);
      const offsets = terms.get(term);
      if (offsets === undefined) terms.set(term, [offset]);
      else if (offsets.at(-1) !== offset) offsets.push(offset);
    }
  }
  for (const [bucket, terms] of buckets) {
    const postings = new Map([...terms].map(([term, offsets]) => [term, postingOf(offsets)]));
    tx.put(keys.postings(bucket, sealed), bucketText(postings));
  }
  tx.put(keys.sealed, `${first} ${sealed + 1}`);
  return true;
}
