/** Counts how often words were added and removed. */
export class WordTally {
  readonly #balances = new Map<string, number>();

  add(word: string, side: 'added' | 'removed'): void {
    this.#balances.set(word, this.balance(word) + (side === 'added' ? 1 : -1));
  }

  /** Added minus removed. */
  balance(word: string): number {
    return this.#balances.get(word) ?? 0;
  }

  /** Words that are more frequent afterwards (1), less frequent (-1) or equally frequent (0), sorted. */
  net(sign: -1 | 0 | 1): readonly string[] {
    return this.all().filter((word) => Math.sign(this.balance(word)) === sign);
  }

  all(): readonly string[] {
    return [...this.#balances.keys()].sort();
  }
}
