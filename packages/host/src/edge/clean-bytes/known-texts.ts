import { HASH_START, nextHash } from './names.js';

/** Bounds that senders cannot raise: bytes, texts, and the longest text stored. */
const ROOM = 4 * 1024 * 1024;
const MAX = 32_768;
const LONGEST = 8_192;
const SLOTS = MAX * 2;
const PROBES = 4;
/** The next text is guessed from the few before it. */
const CONTEXTS = 8_192;
const CONTEXT_SHIFT = 4;
/** Once a document has this many more characters in unknown texts than in known ones, texts are guessed but not searched. */
const PATIENCE = 512;
/** While searching costs more than it finds, only every eighth document is searched. */
const LOOKS = 8;
/** Bounds the running gain or loss, in characters, so that a change of traffic shows soon. */
const MAX_GAIN = 16_384;
/** Most that one document may add. */
const MAX_NEW = 512;
const ROOM_NEW = 128 * 1024;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * A cache of texts in which the sanitiser found nothing. The frames, modules and source lines of a program repeat in
 * each of its crashes, often several times. A text is known only if the same bytes were checked in full. When the cache
 * is full, it is emptied.
 */
export class KnownTexts {
  private readonly chars = new Uint8Array(ROOM);
  private readonly starts = new Int32Array(MAX);
  private readonly lengths = new Int32Array(MAX);
  private readonly slots = new Int32Array(SLOTS).fill(-1);
  private count = 0;
  private used = 0;
  private readonly next = new Int32Array(CONTEXTS);
  private context = 0;
  private patience = PATIENCE;
  private looks = true;
  private gain = 0;
  private turn = 0;
  /** Slot, start and end of each text to store. */
  private readonly noted = new Int32Array(MAX_NEW * 3);
  private notes = 0;
  private notedBytes = 0;

  /** Call before each document. */
  begin(): void {
    this.context = 0;
    if (this.looks) {
      const gain = this.gain + this.patience - PATIENCE;
      this.gain = Math.max(-MAX_GAIN, Math.min(gain, MAX_GAIN));
    }
    this.looks = this.gain >= 0 || ++this.turn % LOOKS === 0;
    // Right guesses make up for it.
    this.patience = this.looks ? PATIENCE : -PATIENCE;
    this.notes = 0;
    this.notedBytes = 0;
    if (this.count + MAX_NEW <= MAX && this.used + ROOM_NEW <= ROOM) return;
    this.slots.fill(-1);
    this.count = 0;
    this.used = 0;
  }

  /**
   * The index of the quote that ends the JSON string starting at `from`, if the text is known; otherwise -1, and the text
   * may be noted. `units` holds the document, followed by a 0.
   */
  endOf(units: Uint16Array, from: number): number {
    const guess = this.next[this.context] ?? 0;
    const end = from + (this.lengths[guess] ?? 0);
    if (guess < this.count && units[end] === QUOTE && this.isSame(guess, units, from, end)) {
      return this.found(guess, from, end);
    }
    return this.patience > 0 ? this.search(units, from) : -1;
  }

  /** Stores the noted texts. Call if the whole document was clean, while `units` is unchanged. */
  keep(units: Uint16Array): void {
    for (let index = 0; index < this.notes * 3; index += 3) {
      const slot = this.noted[index] ?? 0;
      const from = this.noted[index + 1] ?? 0;
      const to = this.noted[index + 2] ?? 0;
      const there = this.slots[slot] ?? -1;
      // A text that occurs twice in a document is noted twice.
      if (there === -1 || !this.isSame(there, units, from, to)) this.add(slot, units, from, to);
    }
  }

  /** Ends the text where `scanInJson` does: at the first quote that is not escaped. */
  private search(units: Uint16Array, from: number): number {
    let hash = HASH_START;
    let at = from;
    for (let code = units[at] ?? 0; code !== QUOTE; code = units[++at] ?? 0) {
      hash = nextHash(hash, code);
      if (code === BACKSLASH) {
        code = units[++at] ?? 0;
        hash = nextHash(hash, code);
      }
      // Too long, or not a string.
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
    // All slots are taken: replace the first.
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
    if (this.notes === MAX_NEW || this.notedBytes + to - from > ROOM_NEW) return;
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
