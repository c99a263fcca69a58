/**
 * Runs are numbered in the order in which they are stored, and their numbers form blocks. A bucket of a block holds lines
 * `<term> TAB <posting>`, each between line breaks. A posting lists the runs of the block that have the term: two characters for each,
 * or, if that is shorter, `=` and a bitmap in Base64.
 */
export const BLOCK = 512;
const BYTES = BLOCK / 8;
/** More runs than this make a bitmap. */
const SPARSE = 43;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A set of run numbers. */
export interface Bits {
  readonly bytes: Uint8Array;
}

export function bitsFor(blocks: number): Bits {
  return { bytes: new Uint8Array(blocks * BYTES) };
}

export function has({ bytes }: Bits, number: number): boolean {
  return ((bytes[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
}

function set(bytes: Uint8Array, number: number): void {
  bytes[number >> 3] = (bytes[number >> 3] ?? 0) | (1 << (number & 7));
}

/** Keeps in `bits` what is in both. */
export function intersect({ bytes }: Bits, other: Bits): void {
  for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] ?? 0) & (other.bytes[at] ?? 0);
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

export function countOf({ bytes }: Bits): number {
  let count = 0;
  for (const byte of bytes) count += ONES[byte] ?? 0;
  return count;
}

/** The numbers in the set, ascending. */
export function* numbersOf({ bytes }: Bits): Generator<number> {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield 8 * at + bit;
  }
}

/** Adds the runs of a bucket whose term starts with the text, or is the text. `block` is the block's place in `bits`. */
export function addMatches(bits: Bits, block: number, bucket: string, text: string, exact: boolean): void {
  const wanted = exact ? `\n${text}\t` : `\n${text}`;
  for (let at = bucket.indexOf(wanted); at !== -1; at = bucket.indexOf(wanted, at + 1)) {
    const tab = bucket.indexOf('\t', at);
    addPosting(bits, block, bucket.slice(tab + 1, bucket.indexOf('\n', tab)));
  }
}

function addPosting({ bytes }: Bits, block: number, posting: string): void {
  if (posting.startsWith('=')) {
    const own = Buffer.from(posting.slice(1), 'base64');
    for (let at = 0; at < BYTES; at++)
      bytes[block * BYTES + at] = (bytes[block * BYTES + at] ?? 0) | (own[at] ?? 0);
    return;
  }
  for (const offset of offsetsOf(posting)) set(bytes, block * BLOCK + offset);
}

/** The runs of a posting, as offsets in their block. */
export function offsetsOf(posting: string): number[] {
  if (posting.startsWith('='))
    return [...numbersOf({ bytes: new Uint8Array(Buffer.from(posting.slice(1), 'base64')) })];
  const offsets: number[] = [];
  for (let at = 0; at < posting.length; at += 2)
    offsets.push(64 * DIGITS.indexOf(posting[at] ?? '') + DIGITS.indexOf(posting[at + 1] ?? ''));
  return offsets;
}

export function postingOf(offsets: readonly number[]): string {
  if (offsets.length <= SPARSE)
    return offsets.map((offset) => `${DIGITS[offset >> 6]}${DIGITS[offset & 63]}`).join('');
  const bytes = new Uint8Array(BYTES);
  for (const offset of offsets) set(bytes, offset);
  return `=${Buffer.from(bytes).toString('base64')}`;
}

/** The terms of a bucket with their postings. */
export function* linesOf(bucket: string): Generator<readonly [term: string, posting: string]> {
  for (const line of bucket.split('\n')) {
    const tab = line.indexOf('\t');
    if (tab !== -1) yield [line.slice(0, tab), line.slice(tab + 1)];
  }
}

/** The bucket as text; empty for no terms. */
export function bucketText(postings: ReadonlyMap<string, string>): string {
  let text = '';
  for (const [term, posting] of postings) text += `\n${term}\t${posting}`;
  return text === '' ? '' : `${text}\n`;
}
