/** The known name nearest to a mistyped one, or `null` if none is near. */
export function suggest(name: string, known: readonly string[]): string | null {
  const wanted = fold(name);
  const reach = Math.max(1, Math.floor(wanted.length / 4));
  let best: string | null = null;
  let bestDistance = reach + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Dashes, underscores and case are spelling, not meaning. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').slice(0, 60);
}

/** Optimal string alignment distance; stops counting at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return Math.min(above[b.length] ?? limit, limit);
}
