import { createHash } from 'node:crypto';
import type { Logger, Values } from '@culprit/core';
import { type BoundedMap, boundedMap } from '@culprit/core/resilience';

/**
 * Limits of one kind of answer in storage: number of slots, and characters per answer. A key's hash names two slots, which
 * bounds the storage without an index; an answer overwrites another one only if both slots are taken.
 */
const SLOTS = 1_024;
const MAX_CHARS = 512 * 1024;

export interface CacheParts {
  /** Maximum number of answers in memory. */
  readonly most: number;
  /** Name of the answers in storage. Change it when their shape changes. */
  readonly kind: string;
  readonly values: Values | undefined;
  readonly logger: Logger;
}

/** Caches immutable answers in memory and in the engine's storage, so that they survive a restart. */
export class AnswerCache<T extends {}> {
  private readonly answers: BoundedMap<string, T>;
  /** Slots that are being looked at and written: two answers that share one must not both find it free. */
  private readonly filling = new Set<string>();

  constructor(private readonly parts: CacheParts) {
    this.answers = boundedMap(parts.most);
  }

  async get(key: string): Promise<T | undefined> {
    const found = this.answers.get(key) ?? (await this.stored(key));
    if (found !== undefined) this.answers.set(key, found);
    return found;
  }

  async set(key: string, answer: T): Promise<void> {
    this.answers.set(key, answer);
    const { values } = this.parts;
    if (!values) return;
    const text = JSON.stringify({ key, answer });
    if (text.length > MAX_CHARS) return;
    await this.ignoringErrors(async () => {
      const slots = this.slots(key);
      for (const slot of slots) if (await this.fill(values, slot, key, text)) return;
      await values.set(slots[0], text);
    });
  }

  /** False if the slot holds, or is about to hold, another question's answer. */
  private async fill(values: Values, slot: string, key: string, text: string): Promise<boolean> {
    if (this.filling.has(slot)) return false;
    this.filling.add(slot);
    try {
      if (await other(values, slot, key)) return false;
      await values.set(slot, text);
      return true;
    } finally {
      this.filling.delete(slot);
    }
  }

  private async stored(key: string): Promise<T | undefined> {
    const { values } = this.parts;
    if (!values) return undefined;
    return this.ignoringErrors(async () => {
      for (const slot of this.slots(key)) {
        const kept = await read<T>(values, slot);
        if (kept?.key === key) return kept.answer;
      }
      return undefined;
    });
  }

  private slots(key: string): readonly [string, string] {
    const hash = createHash('sha256').update(key).digest();
    const slot = (offset: number) => `answers:${this.parts.kind}:${hash.readUInt32BE(offset) % SLOTS}`;
    return [slot(0), slot(4)];
  }

  /** A failing cache costs a request, never an analysis. */
  private async ignoringErrors<R>(work: () => Promise<R>): Promise<R | undefined> {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.parts.logger.warn({ kind: this.parts.kind, reason }, 'the answer cache failed');
      return undefined;
    }
  }
}

interface Kept<T> {
  readonly key: string;
  readonly answer: T;
}

async function read<T>(values: Values, slot: string): Promise<Kept<T> | undefined> {
  const text = await values.get(slot);
  return text === undefined ? undefined : (JSON.parse(text) as Kept<T>);
}

/** Whether the slot holds another question's answer. An unreadable slot counts as free. */
async function other(values: Values, slot: string, key: string): Promise<boolean> {
  const kept = await read(values, slot).catch(() => undefined);
  return kept !== undefined && kept.key !== key;
}
