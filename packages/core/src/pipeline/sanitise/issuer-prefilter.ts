import type { IssuerToken, TokenForm } from './issuers.js';

/**
 * Decides in a few lookups whether a run of word characters (letters, digits, `_` and `-`) can hold or begin an
 * issuer's token. Derived from the tokens' forms. Invariant: true for every run in which a token begins; often true for
 * other runs.
 */
export interface IssuerPrefilter {
  /** Shorter runs hold no token, except before a character in {@link breakers}. */
  readonly shortestRun: number;
  /** By code below 128: 1 for the characters that may end a run within a token. */
  readonly breakers: Uint8Array;
  /** By {@link threeAt}: the least characters from there to the end of a run that begins a token so; {@link NEVER} if none does. */
  readonly leastFrom: Uint8Array;
  /** By {@link threeAt} the last two characters of a run: 1 if a token may begin before the next one and go on after it. */
  readonly mayEnd: Uint8Array;
  /** `units` from `from` to `to` is the run; `code` is the character at `to`, 0 at the end of the text. */
  mayHold(units: Uint16Array, from: number, to: number, code: number): boolean;
}

interface Start {
  /** Word characters of its run that precede it. */
  readonly lead: number;
  /** It may begin within a word, because what precedes it ends in a letter or digit. */
  readonly isInner: boolean;
  /** The start up to its first character that is not a word character, and the rest of it. */
  readonly head: string;
  readonly tail: string;
  /** Word characters that follow the head if the run ends in a character of `open`, otherwise, and at most. */
  readonly leastOpen: number;
  readonly least: number;
  readonly most: number;
  /** Characters other than word characters that may follow there. */
  readonly open: string;
  /** The character that must end the run; empty: any. */
  readonly next: string;
}

const WORD = /^[\w-]$/;
const UNDERSCORE = 95;
const DASH = 45;
/** Two characters as a number. */
const PAIRS = 128 * 128;
const pairOf = (first: number, second: number) => (first & 127) * 128 + (second & 127);
/** Three characters without their case as a number: different ones may share it. */
const threeOf = (first: number, second: number, third: number) =>
  ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
export const threeAt = (units: Uint16Array, at: number) =>
  threeOf(units[at] ?? 0, units[at + 1] ?? 0, units[at + 2] ?? 0);
const ALL: readonly number[] = Array.from({ length: 32 }, (_, code) => code);
/** More characters than any run is required to have. */
const NEVER = 255;

export function createIssuerPrefilter(issuers: readonly IssuerToken[]): IssuerPrefilter {
  const starts = issuers.flatMap(({ forms }) => forms.flatMap(startsOf));
  const whole = starts.filter(({ tail }) => tail === '');
  const tailed = starts.filter(({ tail }) => tail !== '');
  const open = whole.filter((start) => start.open !== '');
  const breakers = new Uint8Array(128);
  for (const { tail, open } of starts)
    for (const char of tail === '' ? open : tail.slice(0, 1)) breakers[char.charCodeAt(0)] = 1;
  const beginsWhole = byPair(whole, ({ head }) => firstPairs(head));
  const beginsOpen = byPair(open, ({ head }) => firstPairs(head));
  const opens = new Uint8Array(128);
  for (const start of open) for (const char of start.open) opens[char.charCodeAt(0)] = 1;
  const shortestRun = Math.min(...whole.map(({ lead, head, least }) => lead + head.length + least));
  const ends = byPair(tailed, ({ head, tail }) => [
    pairOf(head.charCodeAt(head.length - 1), tail.charCodeAt(0)),
  ]);
  const leastFrom = new Uint8Array(32 ** 3).fill(NEVER);
  for (const { head, leastOpen } of whole) {
    const least = Math.min(head.length + leastOpen, NEVER - 1);
    for (const three of firstThrees(head)) leastFrom[three] = Math.min(leastFrom[three] ?? NEVER, least);
  }
  const mayEnd = new Uint8Array(32 ** 3);
  for (const { head, tail } of tailed) {
    const [last = '', before] = [...head].reverse();
    const [second, third] = [last.charCodeAt(0), tail.charCodeAt(0)];
    for (const first of before === undefined ? ALL : [before.charCodeAt(0)])
      mayEnd[threeOf(first, second, third)] = 1;
  }
  const endsInHead = (units: Uint16Array, from: number, to: number, code: number) => {
    const group = ends.groupOf[pairOf(units[to - 1] ?? 0, code)] ?? 0;
    return group > 0 && (ends.groups[group - 1] ?? []).some((start) => endsIn(start, units, from, to));
  };
  return {
    shortestRun,
    breakers,
    leastFrom,
    mayEnd,
    mayHold(units, from, to, code) {
      if (to - from >= shortestRun && holds(beginsWhole, units, from, to, code)) return true;
      if (code >= 128 || breakers[code] !== 1) return false;
      if (opens[code] === 1 && holds(beginsOpen, units, from, to, code)) return true;
      return endsInHead(units, from, to, code);
    },
  };
}

interface ByPair {
  /** By two characters: 0, or one more than the index of its group. */
  readonly groupOf: Uint8Array;
  readonly groups: readonly (readonly Start[])[];
}

function byPair(starts: readonly Start[], pairsOf: (start: Start) => readonly number[]): ByPair {
  const fitting = new Map<number, Start[]>();
  for (const start of starts) {
    for (const pair of pairsOf(start)) fitting.set(pair, [...(fitting.get(pair) ?? []), start]);
  }
  const groupOf = new Uint8Array(PAIRS);
  const groups = new Map<string, readonly Start[]>();
  for (const [pair, some] of fitting) {
    const name = some.map((start) => starts.indexOf(start)).join();
    groups.set(name, some);
    groupOf[pair] = [...groups.keys()].indexOf(name) + 1;
  }
  return { groupOf, groups: [...groups.values()] };
}

/** The first two characters of every run that begins with the head. */
function firstPairs(head: string): readonly number[] {
  const first = head.charCodeAt(0);
  if (head.length > 1) return [pairOf(first, head.charCodeAt(1))];
  return Array.from({ length: 128 }, (_, second) => pairOf(first, second));
}

/** The numbers of the first three characters of every run that begins with the head. */
function firstThrees(head: string): readonly number[] {
  const [first = 0, second, third] = [...head].map((char) => char.charCodeAt(0));
  return (second === undefined ? ALL : [second]).flatMap((two) =>
    (third === undefined ? ALL : [third]).map((three) => threeOf(first, two, three)),
  );
}

/** Whether one of the starts fits where a token may begin: at the start of the run or after a `_` or `-`. */
function holds(starts: ByPair, units: Uint16Array, from: number, to: number, code: number): boolean {
  if (beginsAt(starts, units, from, from, to, code)) return true;
  for (let at = from; at < to; at++) {
    const unit = units[at];
    if ((unit === UNDERSCORE || unit === DASH) && beginsAt(starts, units, from, at + 1, to, code))
      return true;
  }
  return false;
}

function beginsAt(
  { groupOf, groups }: ByPair,
  units: Uint16Array,
  from: number,
  at: number,
  to: number,
  code: number,
): boolean {
  const group = groupOf[pairOf(units[at] ?? 0, units[at + 1] ?? 0)] ?? 0;
  return group > 0 && (groups[group - 1] ?? []).some((start) => fits(start, units, from, at, to, code));
}

function fits(start: Start, units: Uint16Array, from: number, at: number, to: number, code: number): boolean {
  const { head, next, open } = start;
  const rest = to - at - head.length;
  if (rest < start.leastOpen || at - from < start.lead || !isAt(units, at, head)) return false;
  const char = code === 0 ? '' : String.fromCharCode(code);
  if (next !== '' && (char !== next || rest > start.most)) return false;
  return rest >= (char !== '' && open.includes(char) ? start.leastOpen : start.least);
}

/** Whether the run ends in the head, and the tail follows. */
function endsIn({ head, tail, isInner }: Start, units: Uint16Array, from: number, to: number): boolean {
  const at = to - head.length;
  return (
    at >= from && (isInner || isBoundary(units, from, at)) && isAt(units, at, head) && isAt(units, to, tail)
  );
}

/** Not after a letter or digit. */
function isBoundary(units: Uint16Array, from: number, at: number): boolean {
  return at === from || units[at - 1] === UNDERSCORE || units[at - 1] === DASH;
}

function isAt(units: Uint16Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (units[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

function startsOf({ starts, rest, before }: TokenForm): readonly Start[] {
  const run = readRun(rest);
  const isInner = /(?:[\w}]|\\d)$/.test(before);
  return starts.map((start) => {
    const head = /^[\w-]+/.exec(start)?.[0];
    if (head === undefined)
      throw new TypeError(`a token must begin with a letter, a digit, _ or -: ${start}`);
    return { lead: leadOf(before), isInner, head, tail: start.slice(head.length), ...run };
  });
}

/** The word characters that precede a start in its run at least: all of `before`, if it is nothing else. */
function leadOf(before: string): number {
  const { least, next, open } = readRun(before);
  return before.startsWith('(') || next !== '' || open !== '' ? 0 : least;
}

const ATOM = /(\[[^\]]+\]|\\.|[\w-])(?:\{(\d+)(,?)(\d*)\}|([*+?]))?/y;

/**
 * How many word characters an expression matches before anything else, read from its leading characters and classes.
 * At the first part that it does not understand, it assumes that anything may follow.
 */
function readRun(expression: string): Omit<Start, 'head' | 'tail' | 'lead' | 'isInner'> {
  let least = 0;
  let most = 0;
  ATOM.lastIndex = 0;
  for (let atom = ATOM.exec(expression); atom !== null; atom = ATOM.exec(expression)) {
    const [, chars = '', min, comma, max, sign] = atom;
    const lowest = min === undefined ? Number(sign === undefined || sign === '+') : Number(min);
    const accepted = charactersOf(chars);
    const others = accepted.filter((char) => !WORD.test(char)).join('');
    if (others.length === accepted.length) {
      const next = lowest > 0 && others.length === 1 ? others : '';
      return { leastOpen: least, least, most: next === '' ? Number.POSITIVE_INFINITY : most, open: '', next };
    }
    if (others !== '') {
      return {
        leastOpen: least,
        least: least + lowest,
        most: Number.POSITIVE_INFINITY,
        open: others,
        next: '',
      };
    }
    least += lowest;
    const isOpenEnded = sign === '*' || sign === '+' || (comma === ',' && max === '');
    most += isOpenEnded ? Number.POSITIVE_INFINITY : Number(max || min || 1);
  }
  return { leastOpen: least, least, most: Number.POSITIVE_INFINITY, open: '', next: '' };
}

function charactersOf(atom: string): readonly string[] {
  const one = new RegExp(`^${atom}$`);
  return Array.from({ length: 126 }, (_, code) => String.fromCharCode(code + 1)).filter((char) =>
    one.test(char),
  );
}
