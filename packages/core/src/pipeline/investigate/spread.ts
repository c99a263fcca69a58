import type { SourceMatch } from '../../ports/code-host.js';

/**
 * At most so many matches, in the given order: those of a lower rank before others, and then the first ones of every file before the
 * later ones of any, so that no file hides the others.
 */
export function spreadOverFiles(
  matches: readonly SourceMatch[],
  most: number,
  rankOf: (path: string) => number = () => 0,
): readonly SourceMatch[] {
  const seen = new Map<string, number>();
  const ranked = matches.map((match) => {
    const earlier = seen.get(match.path) ?? 0;
    seen.set(match.path, earlier + 1);
    return { match, rank: rankOf(match.path), earlier };
  });
  const best = ranked.sort((a, b) => a.rank - b.rank || a.earlier - b.earlier).slice(0, most);
  const chosen = new Set(best.map(({ match }) => match));
  return matches.filter((match) => chosen.has(match));
}
