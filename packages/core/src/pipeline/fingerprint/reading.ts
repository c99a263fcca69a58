import { sha256Hex } from '../hash.js';
import type { Basis } from './basis.js';
import type { Words } from './traits.js';

type Named = Pick<Basis, 'strategy' | 'parts'>;

/** All that counts of a crash. Its fingerprints are computed from nothing else, so crashes that read alike share them. */
export interface Reading {
  readonly basis: Named;
  /** That of version 1 if it is another. */
  readonly earlier: Named | null;
  readonly words: Words;
  /** What names the build that has the source line; empty if unknown. */
  readonly build: string;
  /** The sender's own fingerprint. */
  readonly sent: readonly string[] | null;
}

/** 64 hex digits; the same on every machine. */
export function hashOf(version: string, strategy: string, parts: readonly string[]): string {
  return sha256Hex(JSON.stringify([version, strategy, parts]));
}

/** Senders write `{{ default }}` once. */
const MOST_DEFAULTS = 2;

/**
 * The parts that a sender's own fingerprint stands for; `null` if it sent none. `defaults` take the place of `{{ default }}`:
 * a few characters would stand for thousands of parts, again and again.
 */
export function sentParts(sent: Reading['sent'], defaults: readonly string[]): readonly string[] | null {
  if (sent === null || (sent.length === 1 && isDefault(sent[0]))) return null;
  let count = 0;
  return sent.flatMap((part) => {
    if (!isDefault(part)) return [`custom ${part}`];
    return count++ < MOST_DEFAULTS ? defaults : [];
  });
}

/** Whether the sender's fingerprint leaves the default out. */
export function isOnlyCustom(sent: Reading['sent']): boolean {
  return sent?.some(isDefault) === false;
}

const isDefault = (part: string | undefined) => /^\{\{ ?default ?\}\}$/.test(part ?? '');
