import type { HistoryEntry } from './history.js';
import { samePerson } from './person.js';
import type { Run } from './run.js';

/** Entries of those who decided what the draft says. */
const SHAPING: ReadonlySet<string> = new Set(['draft.edit', 'suspects.choose']);

/** What the history says of the latest cycle. */
export interface DoneBefore {
  /** Who approved Gate 1. */
  readonly by: string | null;
  readonly cycle: unknown;
  /** Everyone who edited the draft or chose its suspects; for a token, the person who made it. */
  readonly editors: readonly string[];
}

export function doneBefore(history: readonly HistoryEntry[]): DoneBefore {
  const start = history.findLastIndex(({ name }) => name === 'gate1.approve');
  const edits = history.slice(start + 1).filter(({ name }) => SHAPING.has(name));
  const editors = edits.flatMap(({ by }) => by ?? []);
  return { by: history[start]?.by ?? null, cycle: history[start]?.detail.cycle ?? null, editors };
}

/** By the name of the one who did it. */
export type Involvement = { readonly opened_by: string } | { readonly edited_by: string };

/** What keeps a reviewer from signing the draft by the two-person rule; `null`: nothing. */
export function involvementOf(
  reviewer: string,
  { draft, suspects }: Pick<Run, 'draft' | 'suspects'>,
  { by, editors }: DoneBefore,
): Involvement | null {
  if (by !== null && samePerson(by, reviewer)) return { opened_by: by };
  const finder = suspects[0]?.found_by?.by;
  const author = finder?.kind === 'agent' ? finder.person : null;
  // The draft's own editor may be newer than the history that was read.
  const own = [draft?.edited_by, author, ...editors].find((one) => one && samePerson(one, reviewer));
  return own ? { edited_by: own } : null;
}

/** Reads on from "You". */
export function involvementText(involvement: Involvement): string {
  return 'opened_by' in involvement
    ? 'approved Gate 1 of this run'
    : 'edited this draft or decided about its suspects';
}
