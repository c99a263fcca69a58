import type { HistoryEntry } from '@culprit/core';
import { erasePerson } from '@culprit/core/internal/pipeline/erase-person';
import { keys } from '../run-store/keys.js';
import { decode, encode, type RunHead } from '../run-store/run-parts.js';
import type { Transaction } from '../run-store/writer.js';

/** The history before the erasure, and the number of its entries that named the person. */
export async function eraseHistory(
  tx: Transaction,
  { run, entries }: RunHead,
  id: string,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly erased: number }> {
  const keyOf = (at: number) => keys.history(run.run_id, at + 1);
  const texts = await tx.getMany(Array.from({ length: entries }, (_, at) => keyOf(at)));
  const before: HistoryEntry[] = [];
  let erased = 0;
  for (const [at, text] of texts.entries()) {
    if (text === undefined) continue;
    const kept = decode<HistoryEntry>(text, 'history entry');
    before.push(kept);
    const entry = eraseEntry(kept, id);
    if (entry === null) continue;
    erased += 1;
    tx.del(keyOf(at));
    tx.put(keyOf(at), encode(entry));
  }
  return { entries: before, erased };
}

/** The entry without the name, its reason or comment, and the salt that hid them; `null` if it does not name the person. */
function eraseEntry(entry: HistoryEntry, id: string): HistoryEntry | null {
  const { reason = null, comment = null, ...detail } = entry.detail;
  if (!sameName(entry.by, id) && erasePerson([reason, comment], id).places === 0) return null;
  const seal = entry.seal === undefined ? {} : { seal: { ...entry.seal, salt: '' } };
  return { ...entry, by: null, detail, ...seal };
}

export function sameName(name: string | null | undefined, id: string): boolean {
  return name?.toLowerCase() === id.toLowerCase();
}
