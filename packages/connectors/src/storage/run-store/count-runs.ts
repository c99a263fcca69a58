import { keptCounts } from '@culprit/core/internal/domain/quota';
import { after, keys, scope } from './keys.js';
import { quotaLedger } from './quota-ledger.js';
import type { RetentionParts } from './retention.js';
import { decode, keptOf, ownerOf, type RunHead } from './run-parts.js';
import { writeHead } from './write-run.js';

/** Runs counted in one write. */
const STEP = 100;

/**
 * Counts the runs that an older version wrote, once, in small steps with `pause` between them. A run that changes
 * meanwhile is counted by that change. Returns how many it counted.
 */
export async function countRuns(
  { reads, writer }: Pick<RetentionParts, 'reads' | 'writer'>,
  pause: () => Promise<void>,
): Promise<number> {
  const [done] = await reads.getMany([keys.counted]);
  if (done !== undefined) return 0;
  const start = keys.activity(scope(), '');
  let counted = 0;
  for (let gt = start; ; ) {
    const found = await reads.entries({ gt, lt: after(start), limit: STEP });
    const last = found.at(-1)?.[0];
    if (last === undefined) break;
    counted += await countStep(
      writer,
      found.map(([key]) => key.slice(key.lastIndexOf('/') + 1)),
    );
    gt = last;
    await pause();
  }
  await writer.write(async (tx) => tx.put(keys.counted, '1'));
  return counted;
}

function countStep(writer: RetentionParts['writer'], ids: readonly string[]): Promise<number> {
  return writer.write(async (tx) => {
    const ledger = quotaLedger(tx);
    let counted = 0;
    const texts = await tx.getMany([...ids.map(keys.head), ...ids.map(keys.event)]);
    for (const at of ids.keys()) {
      const [headText, eventText] = [texts[at], texts[ids.length + at]];
      const head = headText === undefined ? null : decode<RunHead>(headText, 'run');
      if (head === null || head.tombstone || head.kept !== undefined || eventText === undefined) continue;
      const owner = ownerOf(head);
      const kept = keptOf(owner, eventText, head.log);
      await writeHead(tx, head, { ...head, kept });
      await ledger.load(owner);
      ledger.add(owner, keptCounts(head.run.state, kept.bytes));
      counted += 1;
    }
    ledger.write();
    return counted;
  });
}
