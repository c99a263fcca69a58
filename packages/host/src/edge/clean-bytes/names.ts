import { randomBytes } from 'node:crypto';
import type { KeyFacts } from '@culprit/core/internal/pipeline/sanitise/key-facts';

/** Cached names, their maximum length, and probes per lookup. Senders cannot raise these bounds. */
export const MAX_NAMES = 4_096;
export const LONGEST_NAME = 64;
const PROBES = 16;
/** A document with more names of its own takes the full path. */
const MAX_NEW = 512;
const SLOTS = MAX_NAMES * 4;

export interface Names {
  /** Facts by id. */
  readonly facts: readonly KeyFacts[];
  /** The id of the name in `units` from `from` to `to`; -1 if it cannot be cached. */
  find(units: Uint16Array, from: number, to: number, hash: number): number;
  /** A guess: the name that followed this one last time. */
  after(id: number): number;
  follow(id: number, next: number): void;
  /** The name's length if `units` has it at `from`, even as the start of a longer name; otherwise -1. */
  lengthAt(id: number, units: Uint16Array, from: number): number;
  /** Call before each document. Afterwards, ids above those of the given names may mean other names. */
  tidy(): void;
}

/** Random, so that a sender cannot construct names that collide. */
export const HASH_START = randomBytes(4).readInt32LE();
export const nextHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

/** Looks up member names by their characters, without creating strings. The `given` names have ids from 0. */
export function createNames(given: readonly string[], factsOf: (name: string) => KeyFacts): Names {
  const facts: KeyFacts[] = [];
  const slots = new Int16Array(SLOTS).fill(-1);
  const chars = new Uint8Array(MAX_NAMES * LONGEST_NAME);
  const lengths = new Uint8Array(MAX_NAMES);
  const next = new Int16Array(MAX_NAMES);
  const lengthAt = (id: number, units: Uint16Array, from: number) => {
    const length = lengths[id] ?? 0;
    const start = id * LONGEST_NAME;
    for (let index = 0; index < length; index++) {
      if (chars[start + index] !== units[from + index]) return -1;
    }
    return length;
  };
  let most = MAX_NEW;
  const add = (slot: number, units: Uint16Array, from: number, to: number) => {
    const id = facts.length;
    const first = units[from] ?? 0;
    if (id >= most || to - from > LONGEST_NAME) return -1;
    // Objects keyed by number have too many names to cache.
    if (first >= 48 && first <= 57) return -1;
    const found = factsOf(String.fromCharCode(...units.subarray(from, to)));
    // Beside `kty`, names of one letter are those of a private key.
    if (found.redactions > 0 || found.key === 'kty') return -1;
    facts.push(found);
    slots[slot] = id;
    lengths[id] = to - from;
    chars.set(units.subarray(from, to), id * LONGEST_NAME);
    return id;
  };
  const find = (units: Uint16Array, from: number, to: number, hash: number) => {
    const first = hash ^ (hash >>> 15);
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = (first + probe) & (SLOTS - 1);
      const id = slots[slot] ?? -1;
      if (id === -1) return add(slot, units, from, to);
      if (lengths[id] === to - from && lengthAt(id, units, from) >= 0) return id;
    }
    return -1;
  };
  const begin = () => {
    for (const name of given) {
      const units = Uint16Array.from(name, (char) => char.charCodeAt(0));
      find(units, 0, units.length, units.reduce(nextHash, HASH_START));
    }
  };
  begin();
  return {
    facts,
    find,
    after: (id) => next[id] ?? 0,
    follow: (id, then) => {
      next[id] = then;
    },
    lengthAt,
    tidy() {
      if (facts.length + MAX_NEW > MAX_NAMES) {
        facts.length = 0;
        slots.fill(-1);
        next.fill(0);
        begin();
      }
      most = facts.length + MAX_NEW;
    },
  };
}
