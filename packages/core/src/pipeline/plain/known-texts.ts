import { HASH_START, nextHash } from './names.js';

/** Bounds that senders cannot move: bytes and texts that are remembered, and the longest of them. */
const ROOM = 4 * 1024 * 1024;
const MOST = 32_768;
const LONGEST = 8_192;
const SLOTS = MOST * 2;
const PROBES = 4;
/** What comes next is guessed by the few texts before. */
const CONTEXTS = 8_192;
const CONTEXT_SHIFT = 4;
/** So many more characters of unknown texts than of known ones, and a document's texts are guessed, but not looked for. */
const PATIENCE = 512;
/** Where more was looked for in vain than was found, only every eighth document is looked at so. */
const LOOKS = 8;
/** How many characters of gain or loss are remembered: so much later it is known that times have changed. */
const MOST_GAIN = 16_384;
/** What one document may add. */
const MOST_NEW = 512;
const ROOM_NEW = 128 * 1024;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Texts in which there was nothing to take out. The frames, modules and lines of one program come in each of its
 * crashes, and often several times in one. Law: a text is known only if the very same bytes were found clean in full.
 * Once there is no room for more, all are forgotten.
 */
export class KnownTexts {
  private readonly chars = new Uint8Array(ROOM);
  private readonly starts = new Int32Array(MOST);
  private readonly lengths = new Int32Array(MOST);
  private readonly slots = new Int32Array(SLOTS).fill(-1);
  private count = 0;
  private used = 0;
  private readonly next = new Int32Array(CONTEXTS);
  private context = 0;
  private patience = PATIENCE;
  private looks = true;
  private gain = 0;
  private turn = 0;
  /** Slot, beginning and end of each text that may be kept. */
  private readonly noted = new Int32Array(MOST_NEW * 3);
  private notes = 0;
  private notedBytes = 0;

  /** To be called before each document. */
  begin(): void {
    this.context = 0;
    if (this.looks) {
      const gain = this.gain + this.patience - PATIENCE;
      this.gain = Math.max(-MOST_GAIN, Math.min(gain, MOST_GAIN));
    }
    this.looks = this.gain >= 0 || ++this.turn % LOOKS === 0;
    // Guesses that are right make up for it.
    this.patience = this.looks ? PATIENCE : -PATIENCE;
    this.notes = 0;
    this.notedBytes = 0;
    if (this.count + MOST_NEW <= MOST && this.used + ROOM_NEW <= ROOM) return;
    this.slots.fill(-1);
    this.count = 0;
    this.used = 0;
  }

  /**
   * The quote at which the text ends that stands in JSON from `from` on; -1: it is not known, and may be noted. `units`
   * are the document's, with a 0 after its end.
   */
  endOf(units: Uint16Array, from: number): number {
    const guess = this.next[this.context] ?? 0;
    const end = from + (this.lengths[guess] ?? 0);
    if (guess < this.count && units[end] === QUOTE && this.isSame(guess, units, from, end)) {
      return this.found(guess, from, end);
    }
    return this.patience > 0 ? this.search(units, from) : -1;
  }

  /** The document, whose `units` are still the same, was clean: what was noted of it is known from now on. */
  keep(units: Uint16Array): void {
    for (let index = 0; index < this.notes * 3; index += 3) {
      const slot = this.noted[index] ?? 0;
      const from = this.noted[index + 1] ?? 0;
      const to = this.noted[index + 2] ?? 0;
      const there = this.slots[slot] ?? -1;
      // One that comes twice in a document is noted twice.
      if (there === -1 || !this.isSame(there, units, from, to)) this.add(slot, units, from, to);
    }
  }

  /** Looks for the text's end as `scanInJson` does: at the first quote that belongs to no escape. */
  private search(units: Uint16Array, from: number): number {
    let hash = HASH_START;
    let at = from;
    for (let code = units[at] ?? 0; code !== QUOTE; code = units[++at] ?? 0) {
      hash = nextHash(hash, code);
      if (code === BACKSLASH) {
        code = units[++at] ?? 0;
        hash = nextHash(hash, code);
      }
      // A text that is too long, or none.
      if (code < 32 || at - from >= LONGEST) return this.missed(at - from);
    }
    const first = hash ^ (hash >>> 15);
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = (first + probe) & (SLOTS - 1);
      const id = this.slots[slot] ?? -1;
      if (id === -1) {
        this.note(slot, from, at);
        return this.missed(at - from);
      }
      if (this.isSame(id, units, from, at)) {
        this.next[this.context] = id;
        return this.found(id, from, at);
      }
    }
    // All places are taken: the first is to be its.
    this.note(first & (SLOTS - 1), from, at);
    return this.missed(at - from);
  }

  private missed(length: number): -1 {
    this.patience -= length + 1;
    return -1;
  }

  private found(id: number, from: number, to: number): number {
    this.patience += to - from;
    this.context = ((this.context << CONTEXT_SHIFT) ^ id) & (CONTEXTS - 1);
    return to;
  }

  private isSame(id: number, units: Uint16Array, from: number, to: number): boolean {
    const { chars } = this;
    const length = to - from;
    if (this.lengths[id] !== length) return false;
    const start = this.starts[id] ?? 0;
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
