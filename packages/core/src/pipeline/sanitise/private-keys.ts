import type { JsonValue } from '../../domain/json.js';
import type { Cut } from './cuts.js';
import type { Members } from './key-facts.js';

/** A form has `+` for a space. */
const LABEL = '[A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?-----';
const EDGE = new RegExp(
  `-----(?:(?<begin>BEGIN)|END)[ +]${LABEL}|(?<putty>Private-Lines: )\\d{1,4}|Private-(?:MAC|Hash): [0-9a-f]{40,64}`,
  'g',
);
/** What a text of several lines has, one of which begins a key. */
const isEdge = (text: string) => text.includes(' PRIVATE KEY') || text.startsWith('Private-Lines: ');
/** A line of a key, with quotes, commas and the marks of diffs around it. */
const FULL_LINE = /^[A-Za-z0-9+/]{40,128}$/;
const LAST_LINE = /^[A-Za-z0-9+/]{1,128}={0,3}$/;
const CHECKSUM = /^=[A-Za-z0-9+/]{4}$/;
/** Characters before an end that are read. */
const LONGEST_KEY = 16_384;

/** Finds the private keys in a text, whole ones and those of which only the beginning or the end is there. */
export function findPrivateKeys(text: string): readonly Cut[] {
  const cuts: Cut[] = [];
  let open = -1;
  let done = 0;
  for (const { index, 0: found, groups } of text.matchAll(EDGE)) {
    const isBegin = groups?.begin !== undefined || groups?.putty !== undefined;
    if (isBegin && open < 0) open = index;
    if (isBegin) continue;
    const from = open >= 0 ? open : beforeEnd(text, Math.max(done, index - LONGEST_KEY), index);
    done = index + found.length;
    cuts.push({ from, to: done, kind: 'private_key' });
    open = -1;
  }
  if (open >= 0) cuts.push({ from: open, to: text.length, kind: 'private_key' });
  return cuts;
}

/** Where the lines of a key begin that ends at `end`. Its last line may be short, all others are long. */
function beforeEnd(text: string, start: number, end: number): number {
  let from = end;
  let lines = 0;
  for (const { index, 0: line } of [
    ...text.slice(start, end).matchAll(/=[A-Za-z0-9+/]{4}(?![\w+/])|[A-Za-z0-9+/]+={0,3}/g),
  ].reverse()) {
    if (line === '+') continue;
    if (lines === 0 && CHECKSUM.test(line)) continue;
    if (!(lines === 0 ? LAST_LINE : FULL_LINE).test(line)) break;
    from = start + index;
    lines++;
  }
  return from;
}

/**
 * The lines of private keys that are spread over several, without those that say `PRIVATE KEY`: the rules redact these
 * themselves.
 */
export function linesInsideKeys(lines: readonly (JsonValue | undefined)[]): ReadonlySet<number> {
  const inside = new Set<number>();
  if (!lines.some((line) => typeof line === 'string' && isEdge(line))) return inside;
  const texts = lines.map((line) => (typeof line === 'string' ? line : ''));
  const cuts = findPrivateKeys(texts.join('\n'));
  let start = 0;
  let next = 0;
  for (const [index, text] of texts.entries()) {
    const end = start + text.length;
    while (next < cuts.length && (cuts[next]?.to ?? 0) <= start) next++;
    if ((cuts[next]?.from ?? end) < end && text !== '' && !text.includes(' PRIVATE KEY')) inside.add(index);
    start = end + 1;
  }
  return inside;
}

/** The same for the lines around a frame's: which members, and which of their items. */
export function frameLinesInsideKeys(frame: Members): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, ReadonlySet<number>>();
  if (frame.pre_context === undefined && frame.post_context === undefined) return found;
  const lists = CONTEXT.map((name) => ({ name, lines: [frame[name]].flat() as readonly JsonValue[] }));
  const inside = linesInsideKeys(lists.flatMap(({ lines }) => lines));
  let start = 0;
  for (const { name, lines } of lists) {
    const from = start;
    const own = [...inside]
      .map((index) => index - from)
      .filter((index) => index >= 0 && index < lines.length);
    if (own.length > 0) found.set(name, new Set(own));
    start += lines.length;
  }
  return found;
}

const CONTEXT = ['pre_context', 'context_line', 'post_context'];
