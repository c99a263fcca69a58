/** How often words were added and removed. */
export class WordTally {
  readonly #balances = new Map<string, number>();

  add(word: string, side: 'added' | 'removed'): void {
    this.#balances.set(word, this.balance(word) + (side === 'added' ? 1 : -1));
  }

  /** Added less removed. */
  balance(word: string): number {
    return this.#balances.get(word) ?? 0;
  }

  /** Words that there are more of afterwards (1), fewer (-1) or as many (0), sorted. */
  net(sign: -1 | 0 | 1): readonly string[] {
    return this.all().filter((word) => Math.sign(this.balance(word)) === sign);
  }

  all(): readonly string[] {
    return [...this.#balances.keys()].sort();
  }
}
