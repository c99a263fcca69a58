import { hash } from 'node:crypto';

/** A digest of a set of texts, in any order. */
export interface Scope {
  add(text: string): void;
  /** Lower-case hex. */
  digest(): string;
}

const BITS = (1n << 128n) - 1n;

export function createScope(): Scope {
  let sum = 0n;
  return {
    add(text) {
      sum = (sum + BigInt(`0x${hash('sha256', text).slice(0, 32)}`)) & BITS;
    },
    digest: () => sum.toString(16).padStart(32, '0'),
  };
}
