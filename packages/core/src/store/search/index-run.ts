import type { Event } from '../../domain/event.js';
import { eventLines, runLines, type SearchDocument, searchDocument } from '../../domain/search/document.js';
import { keys } from '../keys.js';
import type { RunHead } from '../run-parts.js';
import type { Transaction } from '../writer.js';
import { documentOfText, type Entry, entriesOf, runIdOfText, textOfDocument } from './document-text.js';
import { blockOf, blocksOfText } from './index-state.js';
import { BLOCK, bucketText, linesOf, offsetsOf, postingOf } from './postings.js';

/** What a write of a run's head knows beyond the head. */
export interface Shown {
  /** The event that the run shows, if the write has it. A new run needs it. */
  readonly event?: Event | undefined;
  /** The event has changed otherwise than by a crash: index it even if the head is the same. */
  readonly changed?: boolean;
}

const FROM_EVENT = ['type', 'message', 'function', 'file', 'tag'];

/**
 * Updates the index for a run whose head is written, in the same write. Returns the run's number; `undefined` if it is not
 * indexed: it was deleted, or an older version wrote it.
 */
export async function indexRun(
  tx: Transaction,
  before: RunHead | null,
  head: RunHead,
  { event, changed = false }: Shown,
): Promise<number | undefined> {
  const known = before?.number;
  if (known === undefined) {
    if (event === undefined || head.tombstone) return undefined;
    const number = await tx.number();
    const lines = [...runLines(head.run), ...eventLines(event)];
    await putDocument(tx, number, null, searchDocument(head.run.run_id, lines));
    return number;
  }
  if (!head.tombstone && !changed && before !== null && sameLines(before, head)) return known;
  const [text] = await tx.getMany([keys.document(known)]);
  // The number is that of another storage, or of an index that was built again.
  if (text === undefined || runIdOfText(text) !== head.run.run_id) return undefined;
  const old = documentOfText(text);
  if (head.tombstone) {
    await putDocument(tx, known, old, null);
    return undefined;
  }
  const shown = event ? eventLines(event) : old.lines.filter(([field]) => FROM_EVENT.includes(field));
  await putDocument(tx, known, old, searchDocument(head.run.run_id, [...runLines(head.run), ...shown]));
  return known;
}

function sameLines(before: RunHead, head: RunHead): boolean {
  const [a, b] = [before.run, head.run];
  if (a === b) return true;
  return JSON.stringify(runLines(a)) === JSON.stringify(runLines(b));
}

async function putDocument(
  tx: Transaction,
  number: number,
  old: SearchDocument | null,
  next: SearchDocument | null,
): Promise<void> {
  if (next === null) tx.del(keys.document(number));
  else tx.put(keys.document(number), textOfDocument(next));
  const [sealedText] = await tx.getMany([keys.sealed]);
  if (blockOf(number) >= blocksOfText(sealedText).sealed) return;
  const [had, wanted] = [old, next].map((one) => namesOf(one === null ? [] : entriesOf(one)));
  const removed = [...(had ?? [])].filter(([name]) => wanted?.has(name) === false);
  const added = [...(wanted ?? [])].filter(([name]) => had?.has(name) === false);
  await changeBuckets(
    tx,
    number,
    removed.map(([, entry]) => entry),
    added.map(([, entry]) => entry),
  );
}

function namesOf(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry.join('\t'), entry]));
}

/** Changes the terms of one run in a sealed block. */
async function changeBuckets(
  tx: Transaction,
  number: number,
  removed: readonly Entry[],
  added: readonly Entry[],
): Promise<void> {
  const buckets = [...new Set([...removed, ...added].map(([bucket]) => bucket))];
  if (buckets.length === 0) return;
  const block = blockOf(number);
  const offset = number % BLOCK;
  const texts = await tx.getMany(buckets.map((bucket) => keys.postings(bucket, block)));
  for (const [at, bucket] of buckets.entries()) {
    const postings = new Map(linesOf(texts[at] ?? ''));
    const change = (entries: readonly Entry[], apply: (offsets: Set<number>) => void) => {
      for (const [own, term] of entries) {
        if (own !== bucket) continue;
        const offsets = new Set(offsetsOf(postings.get(term) ?? ''));
        apply(offsets);
        if (offsets.size === 0) postings.delete(term);
        else postings.set(term, postingOf([...offsets].sort((a, b) => a - b)));
      }
    };
    change(removed, (offsets) => offsets.delete(offset));
    change(added, (offsets) => offsets.add(offset));
    const text = bucketText(postings);
    if (text === '') tx.del(keys.postings(bucket, block));
    else tx.put(keys.postings(bucket, block), text);
  }
}
