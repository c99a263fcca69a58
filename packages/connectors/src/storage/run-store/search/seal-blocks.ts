import { keys } from '../keys.js';
import type { Transaction, Writer } from '../writer.js';
import { documentOfText } from './document-text.js';
import { entriesOf } from './entries.js';
import { blocksOfText } from './index-state.js';
import { BLOCK, bucketText, postingOf } from './postings.js';

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
