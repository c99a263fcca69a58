import { HASH_START, nextHash } from './names.js';

/** Bounds that senders cannot move: bytes and texts that are remembered, and the longest of them. */
const ROOM = 1024 * 1024;
const MOST = 8_192;
const LONGEST = 8_192;
const SLOTS = MOST * 4;
const PROBES = 4;
/** So many characters, at most, tell a text's slot; there all are compared. */
const SAMPLES_LOG2 = 4;
/** What comes next is guessed by the few texts before. */
const CONTEXTS = 8_192;
const CONTEXT_SHIFT = 4;
/** So many more characters of unknown texts than of known ones, and nothing more is looked for in a document. */
const PATIENCE = 256;
/** What one document may add. */
const MOST_NEW = 512;
const ROOM_NEW = 128 * 1024;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Texts in which there was nothing to take out. The frames, modules and lines of one program come in each of its
 * crashes, and often several times in one. Law: a text is known only if the very same bytes were found clean in full.
 */
export class KnownTexts {
  private readonly chars = new Uint8Array(ROOM);
  private readonly starts = new Int32Array(MOST);
  private readonly lengths = new Int32Array(MOST);
  private readonly slots = new Int16Array(SLOTS).fill(-1);
  private count = 0;
  private used = 0;
  private readonly next = new Int16Array(CONTEXTS);
  private context = 0;
  private patience = PATIENCE;
  /** Slot, beginning and end of each text that may be kept. */
  private readonly noted = new Int32Array(MOST_NEW * 3);
  private notes = 0;
  private notedBytes = 0;

  /** To be called before each document. */
  begin(): void {
    this.context = 0;
    this.patience = PATIENCE;
    this.notes = 0;
    this.notedBytes = 0;
    if (this.count + MOST_NEW <= MOST && this.used + ROOM_NEW <= ROOM) return;
    this.slots.fill(-1);
    this.count = 0;
    this.used = 0;
  }

  /** The quote at which the text ends that stands in JSON from `from` on; -1: it is not known, and is noted. */
  endOf(units: Uint16Array, from: number): number {
    const guess = this.next[this.context] ?? 0;
    const length = this.lengths[guess] ?? 0;
    if (guess < this.count && units[from + length] === QUOTE && this.isSame(guess, units, from)) {
      return this.found(guess, from);
    }
    return this.patience > 0 ? this.search(units, from) : -1;
  }

  /** The document was clean, so what was noted of it is known from now on. */
  keep(units: Uint16Array): void {
    for (let index = 0; index < this.notes * 3; index += 3) {
      const slot = this.noted[index] ?? 0;
      const from = this.noted[index + 1] ?? 0;
      const to = this.noted[index + 2] ?? 0;
      const there = this.slots[slot] ?? -1;
      // One that comes twice in a document is noted twice.
      if (there !== -1 && this.lengths[there] === to - from && this.isSame(there, units, from)) continue;
      this.add(slot, units, from, to);
    }
  }

  private search(units: Uint16Array, from: number): number {
    const to = textEnd(units, from);
    const length = to - from;
    if (to === -1 || length > LONGEST) return -1;
    const hash = hashOf(units, from, to);
    const first = hash ^ (hash >>> 15);
    let slot = first & (SLOTS - 1);
    for (let probe = 1; probe <= PROBES; probe++) {
      const id = this.slots[slot] ?? -1;
      if (id === -1) break;
      if (this.lengths[id] === length && this.isSame(id, units, from)) {
        this.next[this.context] = id;
        return this.found(id, from);
      }
      slot = (first + (probe % PROBES)) & (SLOTS - 1);
    }
    this.patience -= length;
    this.note(slot, from, to);
    return -1;
  }

  private found(id: number, from: number): number {
    const length = this.lengths[id] ?? 0;
    this.patience += length;
    this.context = ((this.context << CONTEXT_SHIFT) ^ id) & (CONTEXTS - 1);
    return from + length;
  }

  private isSame(id: number, units: Uint16Array, from: number): boolean {
    const { chars } = this;
    const start = this.starts[id] ?? 0;
    const length = this.lengths[id] ?? 0;
    for (let index = 0; index < length; index++) {
      if (chars[start + index] !== units[from + index]) return false;
    }
    return true;
  }

  private note(slot: number, from: number, to: number): void {
    if (this.notes === MOST_NEW || this.notedBytes + to - from > ROOM_NEW) return;
    const index = this.notes++ * 3;
    this.noted[index] = slot;
    this.noted[index + 1] = from;
    this.noted[index + 2] = to;
    this.notedBytes += to - from;
  }

  private add(slot: number, units: Uint16Array, from: number, to: number): void {
    const { chars, used } = this;
    const id = this.count++;
    for (let index = from; index < to; index++) chars[used + index - from] = units[index] ?? 0;
    this.starts[id] = used;
    this.lengths[id] = to - from;
    this.slots[slot] = id;
    this.used = used + to - from;
  }
}

/** -1: it does not end well. */
function textEnd(units: Uint16Array, from: number): number {
  let at = from;
  for (let code = units[at] ?? 0; code !== QUOTE; code = units[++at] ?? 0) {
    if (code < 32) return -1;
    if (code === BACKSLASH && (units[++at] ?? 0) < 32) return -1;
  }
  return at;
}

function hashOf(units: Uint16Array, from: number, to: number): number {
  const step = ((to - from) >> SAMPLES_LOG2) + 1;
  let hash = HASH_START ^ (to - from);
  for (let at = to - 1; at >= from; at -= step) hash = nextHash(hash, units[at] ?? 0);
  return hash;
}
