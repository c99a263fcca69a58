import { erasePerson, type HistoryEntry, type RunSummary } from '@culprit/core';
import { ERASED } from '@culprit/core/model';
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

/** The name with which a comment about a fix begins. */
const COMMENTER = /^(`+)[^\n]*?[^`\n]\1(?!`)/;

/**
 * The claim, the snooze, the hand-offs, the resolution and what it did to the issue, the comment on the earlier issue, the return and the approval of Gate 1 without the name, if
 * they have it; a return without its reason, too.
 */
export function eraseReviewers(
  { claim, snooze, resolution, follow_up, link_back, hand_offs, approved_by, returned }: RunSummary,
  id: string,
): Pick<
  RunSummary,
  'claim' | 'snooze' | 'resolution' | 'follow_up' | 'link_back' | 'hand_offs' | 'approved_by' | 'returned'
> {
  const reason = returned && erasePerson(returned.reason, id);
  return {
    ...(returned && (sameName(returned.by, id) || reason?.places)
      ? { returned: { ...returned, by: ERASED, reason: ERASED } }
      : {}),
    ...(sameName(approved_by, id) ? { approved_by: ERASED } : {}),
    ...(claim && sameName(claim.by, id) ? { claim: { ...claim, by: ERASED } } : {}),
    ...(resolution && sameName(resolution.by, id) ? { resolution: { ...resolution, by: ERASED } } : {}),
    ...(follow_up && sameName(follow_up.by, id)
      ? {
          follow_up: {
            ...follow_up,
            by: ERASED,
            comment: follow_up.comment?.replace(COMMENTER, `\`${ERASED}\``) ?? null,
          },
        }
      : {}),
    ...(link_back?.change && sameName(link_back.change.by, id)
      ? { link_back: { ...link_back, change: { ...link_back.change, by: ERASED } } }
      : {}),
    ...(hand_offs?.some(({ by }) => sameName(by, id))
      ? { hand_offs: hand_offs.map((one) => (sameName(one.by, id) ? { ...one, by: ERASED } : one)) }
      : {}),
    ...(snooze && sameName(snooze.by, id) ? { snooze: { ...snooze, by: ERASED } } : {}),
  };
}

export function sameName(name: string | null | undefined, id: string): boolean {
  return name?.toLowerCase() === id.toLowerCase();
}
