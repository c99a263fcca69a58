import { isSpent, STEPS, spend } from './budget.js';
import { type Cut, marker, replaceCuts } from './cuts.js';
import { BLANKS, ENCODINGS } from './encodings.js';

/** A decoded text, and for each of its characters the part of the original that it represents. */
export interface View {
  readonly text: string;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** JSON within JSON within a URL that is encoded twice needs four. */
const LAYERS = 4;

const ENCODED = new RegExp(
  [...ENCODINGS.map(({ lead, rest }) => `(${lead}${rest})`), `([${[...BLANKS.keys()].join('')}])`].join('|'),
  'g',
);

/**
 * The text as it is, then decoded once, twice and so on while that changes it. Where characters that a reader does not see
 * were removed, a second form of the layer has spaces in their place: they may be inside a secret or in front of it.
 */
export function* viewsOf(text: string): Generator<View> {
  let view: View | null = plainView(text);
  yield view;
  for (let layer = 0; layer < LAYERS; layer++) {
    const found = decodedParts(view.text);
    if (found.plain.length === 0) return;
    if (found.plain.includes('')) yield withParts(view, found, ' ');
    view = withParts(view, found, '');
    yield view;
  }
}

/** 0, 1, 2 and so on: every character of a plain text represents itself. */
let identity = new Uint32Array();

function plainView(text: string): View {
  const { length } = text;
  if (identity.length <= length) {
    identity = new Uint32Array(length * 2 + 1);
    for (let index = 0; index < identity.length; index++) identity[index] = index;
  }
  return { text, from: identity.subarray(0, length), to: identity.subarray(1, length + 1) };
}

/** The cuts of a view as parts of the original. */
export function inOriginal(view: View, cuts: readonly Cut[]): readonly Cut[] {
  return cuts.map(({ from, to, kind }) => ({ from: view.from[from] ?? 0, to: view.to[to - 1] ?? 0, kind }));
}

/** The view with its cuts replaced by their markers. */
export function withCuts(view: View, cuts: readonly Cut[]): View {
  const text = replaceCuts(view.text, cuts);
  const next = { text, from: new Uint32Array(text.length), to: new Uint32Array(text.length) };
  let done = 0;
  let at = 0;
  for (const { from, to, kind } of cuts) {
    copy(view, done, from, next, at);
    at += from - done;
    const { length } = marker(kind);
    next.from.fill(view.from[from] ?? 0, at, at + length);
    next.to.fill(view.to[to - 1] ?? 0, at, at + length);
    at += length;
    done = to;
  }
  copy(view, done, view.text.length, next, at);
  return next;
}

type Places = Pick<View, 'from' | 'to'>;
const SHORT = 64;

function copy(source: Places, start: number, end: number, target: Places, at: number): void {
  // Views of the arrays would cost more than the few characters between two escapes.
  if (end - start < SHORT) {
    for (let index = start, to = at; index < end; index++, to++) {
      target.from[to] = source.from[index] ?? 0;
      target.to[to] = source.to[index] ?? 0;
    }
    return;
  }
  target.from.set(source.from.subarray(start, end), at);
  target.to.set(source.to.subarray(start, end), at);
}

/** The encoded parts of a text in order, as lists: an object for each would cost more than to decode it. */
interface Decoded {
  readonly from: number[];
  readonly to: number[];
  readonly plain: string[];
}

function decodedParts(text: string): Decoded {
  const parts: Decoded = { from: [], to: [], plain: [] };
  ENCODED.lastIndex = 0;
  for (let match = ENCODED.exec(text); match !== null; match = ENCODED.exec(text)) {
    const found = match[0];
    const known = plainForms.get(found);
    const plain = known === undefined ? remember(found, plainFormOf(match)) : known;
    spend(STEPS.decoded);
    if (plain !== null) {
      parts.from.push(match.index);
      parts.to.push(match.index + found.length);
      parts.plain.push(plain);
    }
    if (isSpent()) break;
  }
  return parts;
}

/** Escapes repeat, so their plain forms are cached; bounded in number and length. */
const MAX_KNOWN = 4_096;
const LONGEST_KNOWN = 8;
const plainForms = new Map<string, string | null>();

function remember(found: string, plain: string | null): string | null {
  if (found.length > LONGEST_KNOWN) return plain;
  if (plainForms.size >= MAX_KNOWN) plainForms.clear();
  // A copy: a slice would keep the whole text in memory.
  plainForms.set(Buffer.from(found, 'utf16le').toString('utf16le'), plain);
  return plain;
}

function plainFormOf(match: RegExpExecArray): string | null {
  const index = match.findIndex((group, at) => at > 0 && group !== undefined) - 1;
  const encoding = ENCODINGS[index];
  return encoding === undefined ? (BLANKS.get(match[0]) ?? null) : encoding.decode(match[0]);
}

/** `unseen` replaces sequences that represent no character. */
function withParts(view: View, parts: Decoded, unseen: string): View {
  const shown = parts.plain.map((plain) => (plain === '' ? unseen : plain));
  let { length } = view.text;
  for (let index = 0; index < shown.length; index++)
    length += (shown[index] ?? '').length - (parts.to[index] ?? 0) + (parts.from[index] ?? 0);
  const next = { from: new Uint32Array(length), to: new Uint32Array(length) };
  let text = '';
  let done = 0;
  let at = 0;
  for (let index = 0; index < shown.length; index++) {
    const plain = shown[index] ?? '';
    const from = parts.from[index] ?? 0;
    const to = parts.to[index] ?? 0;
    text += view.text.slice(done, from) + plain;
    copy(view, done, from, next, at);
    at += from - done;
    for (const end = at + plain.length; at < end; at++) {
      next.from[at] = view.from[from] ?? 0;
      next.to[at] = view.to[to - 1] ?? 0;
    }
    done = to;
  }
  text += view.text.slice(done);
  copy(view, done, view.text.length, next, at);
  return { text, ...next };
}
