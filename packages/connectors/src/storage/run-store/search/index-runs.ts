import type { Event } from '@culprit/core';
import { after, keys, scope } from '../keys.js';
import type { RetentionParts } from '../retention.js';
import { decode, type RunHead } from '../run-parts.js';
import { writeHead } from '../write-run.js';
import type { Transaction } from '../writer.js';
import { runIdOfText } from './document-text.js';
import { sealBlocks } from './seal-blocks.js';

/** Runs looked at, and runs indexed, in one step. */
const LOOKED = 1_000;
const STEP = 100;

/**
 * Indexes the runs that are not in the index, in small steps with `pause` between them: those that an older version wrote, or
 * that were imported. `progress` receives the number of runs looked at. Returns how many it indexed.
 */
export async function indexRuns(
  { reads, writer }: Pick<RetentionParts, 'reads' | 'writer'>,
  pause: () => Promise<void>,
  progress: (runs: number) => void = () => {},
): Promise<number> {
  const start = keys.activity(scope(), '');
  let indexed = 0;
  let looked = 0;
  for (let gt = start; ; ) {
    const found = await reads.entries({ gt, lt: after(start), limit: LOOKED });
    const missing = found.flatMap(([key, value]) =>
      value === '' ? [key.slice(key.lastIndexOf('/') + 1)] : [],
    );
    for (let at = 0; at < missing.length; at += STEP) {
      indexed += await indexStep(writer, missing.slice(at, at + STEP));
      await sealBlocks(writer);
      await pause();
    }
    looked += found.length;
    progress(looked);
    const last = found.at(-1)?.[0];
    if (last === undefined || found.length < LOOKED) break;
    gt = last;
  }
  await sealBlocks(writer);
  const [complete] = await reads.getMany([keys.indexed]);
  if (complete === undefined) await writer.write(async (tx) => tx.put(keys.indexed, '1'));
  return indexed;
}

function indexStep(writer: RetentionParts['writer'], ids: readonly string[]): Promise<number> {
  return writer.write(async (tx) => {
    let indexed = 0;
    const texts = await tx.getMany([...ids.map(keys.head), ...ids.map(keys.event)]);
    for (const at of ids.keys()) {
      const [headText, eventText] = [texts[at], texts[ids.length + at]];
      if (headText === undefined || eventText === undefined) continue;
      const head = decode<RunHead>(headText, 'run');
      if (head.tombstone || (await isIndexed(tx, head))) continue;
      const unindexed: RunHead = { ...head, number: undefined };
      await writeHead(tx, unindexed, unindexed, { event: decode<Event>(eventText, 'event') });
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
