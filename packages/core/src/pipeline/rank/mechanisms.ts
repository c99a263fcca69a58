import { MECHANISM_CODES, type MechanismCode } from '../../domain/suspect.js';
import type { CrashContext } from './crash-context.js';
import type { ChangeContent } from './types.js';

/** What a commit did to the code that the crash depends on. */
export interface Mechanism {
  readonly code: MechanismCode;
  /** Rarest first. */
  readonly words: readonly string[];
  /** Rarity of the first word among the candidates, from 0 to 1. */
  readonly strength: number;
}

/** Rarity of a word among the candidates, from 0 (all change it) to 1 (only one does). */
export type Rarity = ReadonlyMap<string, number>;

/** In the order of {@link MECHANISM_CODES}; none if the commit created a file of the stack. `edited`: rarity of edited functions. */
export function mechanismsOf(
  content: ChangeContent,
  { source, functions }: CrashContext,
  changed: Rarity,
  edited: Rarity,
): readonly Mechanism[] {
  if (content.creates >= 0) return [];
  const names: Readonly<Record<MechanismCode, readonly string[]>> = {
    signature_changed: content.redefines,
    definition_removed: content.undefines,
    guard_removed: content.guardsLost,
    error_raised: content.raises,
    condition_changed: content.conditions,
    value_changed: content.reassigns,
    callee_changed: content.edits.filter((name) => source.has(name) && !functions.has(name)),
    import_changed: content.imports,
  };
  return MECHANISM_CODES.flatMap((code) => {
    const rarity = code === 'callee_changed' ? edited : changed;
    const of = (word: string) => rarity.get(word) ?? 0;
    const words = [...names[code]].sort((a, b) => of(b) - of(a) || (a < b ? -1 : 1));
    return words.length === 0 ? [] : [{ code, words, strength: of(words[0] ?? '') }];
  });
}

/** Mechanisms that break existing code, so that ownership of the crashed line counts less. */
const BREAKING: ReadonlySet<MechanismCode> = new Set([
  'signature_changed',
  'definition_removed',
  'guard_removed',
  'condition_changed',
  'value_changed',
  'callee_changed',
]);

export function breakingStrength(mechanisms: readonly Mechanism[]): number {
  return Math.max(0, ...mechanisms.flatMap(({ code, strength }) => (BREAKING.has(code) ? strength : [])));
}
