import { assignedIn } from './code-lines.js';

interface Lines {
  readonly removed: readonly { readonly text: string }[];
  readonly added: readonly { readonly text: string }[];
}

/** Larger blocks are not compared. */
const MOST_LINES = 60;
const TOKEN = /[A-Za-z_]\w*|\d[\w.]*|[^\s\w]/g;

/**
 * True: the lines differ only in names of local variables. Each old name has one new name and vice versa, is assigned here,
 * is used at least twice, and is neither a member nor a function.
 */
export function renamesLocals({ removed, added }: Lines): boolean {
  if (removed.length === 0 || removed.length !== added.length || removed.length > MOST_LINES) return false;
  const renamed = new Map<string, string>();
  const uses = new Map<string, number>();
  const taken = new Map<string, string>();
  for (const [index, { text }] of removed.entries()) {
    const before = text.match(TOKEN) ?? [];
    const after = added[index]?.text.match(TOKEN) ?? [];
    if (before.length !== after.length) return false;
    for (const [at, old] of before.entries()) {
      const now = after[at] ?? '';
      if ((renamed.get(old) ?? now) !== now || (taken.get(now) ?? old) !== old) return false;
      if (old !== now && !isLocal(before, at)) return false;
      if (!/^[A-Za-z_]/.test(old) && old !== now) return false;
      renamed.set(old, now);
      taken.set(now, old);
      if (old !== now) uses.set(old, (uses.get(old) ?? 0) + 1);
    }
  }
  const assigned = new Set(removed.map(({ text }) => assignedIn(text)));
  return uses.size > 0 && [...uses].every(([name, count]) => count >= 2 && assigned.has(name));
}

function isLocal(tokens: readonly string[], at: number): boolean {
  const previous = tokens[at - 1];
  return previous !== '.' && previous !== '>' && previous !== '@' && tokens[at + 1] !== '(';
}
