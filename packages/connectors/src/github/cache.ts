/** Keeps the answers that never change, the least used one going first. */
export class AnswerCache<T> {
  private readonly answers = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(key: string): T | undefined {
    const found = this.answers.get(key);
    if (found !== undefined) {
      this.answers.delete(key);
      this.answers.set(key, found);
    }
    return found;
  }

  set(key: string, answer: T): void {
    this.answers.set(key, answer);
    if (this.answers.size > this.most) {
      const [oldest] = this.answers.keys();
      if (oldest !== undefined) this.answers.delete(oldest);
    }
  }
}
