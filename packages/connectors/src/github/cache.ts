import { createHash } from 'node:crypto';
import type { Logger, Values } from '@culprit/core';

/**
 * How many answers of one kind storage holds, and how long each may be. A key's hash names its slot, so what is kept is
 * bounded without an index: a newer answer takes the place of an older one that falls into the same slot.
 */
const SLOTS = 512;
const MOST_CHARS = 512 * 1024;

export interface CacheParts {
  /** How many answers are kept in memory, the least used one going first. */
  readonly most: number;
  /** Kept in storage, too, under this name. Change it when the shape of the answers changes. */
  readonly kind: string;
  readonly values: Values | undefined;
  readonly logger: Logger;
}

/** Keeps answers that never change: in memory, and in the engine's storage, so that they outlive the process. */
export class AnswerCache<T> {
  private readonly answers = new Map<string, T>();

  constructor(private readonly parts: CacheParts) {}

  async get(key: string): Promise<T | undefined> {
    const found = this.answers.get(key) ?? (await this.stored(key));
    if (found !== undefined) this.remember(key, found);
    return found;
  }

  async set(key: string, answer: T): Promise<void> {
    this.remember(key, answer);
    const { values } = this.parts;
    if (!values) return;
    const text = JSON.stringify({ key, answer });
    if (text.length > MOST_CHARS) return;
    await this.tolerant(() => values.set(this.slot(key), text));
  }

  private remember(key: string, answer: T): void {
    this.answers.delete(key);
    this.answers.set(key, answer);
    if (this.answers.size <= this.parts.most) return;
    const [oldest] = this.answers.keys();
    if (oldest !== undefined) this.answers.delete(oldest);
  }

  private async stored(key: string): Promise<T | undefined> {
    const { values } = this.parts;
    if (!values) return undefined;
    const text = await this.tolerant(() => values.get(this.slot(key)));
    if (text === undefined) return undefined;
    return this.tolerant(async () => {
      const kept = JSON.parse(text) as { readonly key: string; readonly answer: T };
      return kept.key === key ? kept.answer : undefined;
    });
  }

  private slot(key: string): string {
    const hash = createHash('sha256').update(key).digest().readUInt32BE(0);
    return `answers:${this.parts.kind}:${hash % SLOTS}`;
  }

  /** A cache that fails costs a question, never an incident. */
  private async tolerant<R>(work: () => Promise<R>): Promise<R | undefined> {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.parts.logger.warn({ kind: this.parts.kind, reason }, 'kept answers cannot be used');
      return undefined;
    }
  }
}
