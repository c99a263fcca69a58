import { EVENT_ID } from '@culprit/core/internal/domain/event-id';
import {
  ANYTHING,
  CRASH,
  EXCEPTIONS,
  KIND,
  type ValueShape,
} from '@culprit/core/internal/pipeline/crash-object/crash-shape';
import { SHAPE_LIMITS } from '@culprit/core/internal/pipeline/crash-object/fit-shape';
import { parseTimestamp } from '@culprit/core/internal/pipeline/normalise/time';
import { isCardNumber } from '@culprit/core/internal/pipeline/sanitise/checksums';
import { goesByName, type LeafContext, touchesLeaf } from '@culprit/core/internal/pipeline/sanitise/leaf';
import type { CompiledRules } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { ESCAPED, scanInJson, scannedTo } from '@culprit/core/internal/pipeline/sanitise/scan';
import { createUnits } from '@culprit/core/internal/pipeline/sanitise/text-sanitiser';
import type { CleanBytes } from './clean-bytes.js';
import { KnownTexts } from './known-texts.js';
import { createNames, HASH_START, MAX_NAMES, nextHash } from './names.js';

/** The items of a list have no name. */
const NO_NAME = -1;
const ROOM = SHAPE_LIMITS.depth + 1;
/** A longer number may be a card number. */
const MAX_INDEX_DIGITS = 12;

const QUOTE = 34;
const COMMA = 44;
const DASH = 45;
const COLON = 58;
const BACKSLASH = 92;

/**
 * Reads a crash object in one pass over its bytes, without creating objects. Each method continues where the previous
 * one ended and returns false if the body needs the full path. Reads one body at a time.
 */
export class ByteReader {
  private readonly names;
  private readonly texts = new KnownTexts();
  private readonly unitsOf = createUnits();
  private readonly shapes = new Uint8Array(ROOM);
  private readonly counts = new Uint16Array(ROOM);
  private readonly isList = new Uint8Array(ROOM);
  private readonly roles = new Uint8Array(ROOM);
  private readonly places: LeafContext[];
  private readonly serials = new Float64Array(ROOM);
  private readonly numbers = new NumericNames();
  /** By depth and name: the serial of the last object at that depth that had the name. Detects duplicates. */
  private readonly seen = new Float64Array(ROOM * MAX_NAMES);
  private serial = 0;

  private bytes: Buffer = Buffer.alloc(0);
  private text = '';
  private units: Uint16Array = new Uint16Array(0);
  private at = 0;
  private depth = 0;
  private deepest = 0;
  private widest = 0;
  /** The shape that the next value must have, the rules that its name implies, and the name. */
  private shape = 0;
  private place: LeafContext;
  private name = NO_NAME;
  /** The last name read, at any depth. */
  private before = 0;
  private escaped = false;
  private isDescribed = false;
  private eventId: string | null = null;
  /** Texts that the sanitiser must check itself. */
  private pending: string[] = [];

  constructor(private readonly parts: CompiledRules) {
    this.names = createNames(NAMES, parts.factsOf);
    this.place = parts.root;
    this.places = new Array(ROOM).fill(parts.root);
  }

  read(body: Uint8Array): CleanBytes | null {
    if (body[0] !== 123 || !this.begin(body)) return null;
    let opened = this.passValue();
    if (!opened) return null;
    while (this.depth > 0) {
      this.passBlank();
      if (this.units[this.at] === (this.isList[this.depth] === 1 ? 93 : 125)) {
        if (!this.close()) return null;
        opened = false;
        continue;
      }
      if (!opened) {
        if (this.units[this.at++] !== COMMA) return null;
        this.passBlank();
      }
      const { depth } = this;
      if (!this.beginItem() || !this.passValue()) return null;
      opened = this.depth > depth;
    }
    this.passBlank();
    if (this.at !== this.text.length || !this.isDescribed) return null;
    if (this.parts.rules.text.touches(this.pending)) return null;
    this.texts.keep(this.units);
    return { event_id: this.eventId, shape: { depth: this.deepest, width: this.widest } };
  }

  private begin(body: Uint8Array): boolean {
    const text = textOf(body);
    if (text === null) return false;
    this.names.tidy();
    this.texts.begin();
    this.numbers.begin();
    this.bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    // One character per byte: in JSON, anything outside ASCII occurs only inside strings.
    this.text = text.length === body.length ? text : this.bytes.toString('latin1');
    this.units = this.unitsOf(this.text);
    this.at = 0;
    this.depth = 0;
    this.deepest = 0;
    this.widest = 0;
    this.shape = CRASH_SHAPE;
    this.place = this.parts.root;
    this.name = NO_NAME;
    this.before = 0;
    this.isDescribed = false;
    this.eventId = null;
    this.pending = [];
    return true;
  }

  private passBlank(): void {
    const { units } = this;
    let { at } = this;
    for (let code = units[at]; code === 32 || code === 10 || code === 13 || code === 9; code = units[++at]);
    this.at = at;
  }

  /** Moves to the start of the next item's value. */
  private beginItem(): boolean {
    const { depth } = this;
    const count = (this.counts[depth] ?? 0) + 1;
    this.counts[depth] = count;
    if (count > SHAPE_LIMITS.width) return false;
    if (count > this.widest) this.widest = count;
    const outer = this.shapes[depth] ?? 0;
    if (this.isList[depth] === 0) return this.passName(depth, outer);
    this.name = NO_NAME;
    this.shape = ITEMS[outer] ?? 0;
    this.place = this.places[depth] ?? this.parts.root;
    if (outer === EXCEPTION_LIST) this.isDescribed = true;
    return true;
  }

  private passName(depth: number, outer: number): boolean {
    const { units } = this;
    let { at } = this;
    if (units[at] !== QUOTE) return false;
    const from = ++at;
    if (isDigit(units[from])) return this.passNumericName(depth, outer);
    const { names, before } = this;
    let name = names.after(before);
    const length = names.lengthAt(name, units, from);
    if (length >= 0 && units[at + length] === QUOTE) at += length;
    else {
      let hash = HASH_START;
      for (let code = units[at] ?? 0; code !== QUOTE; code = units[++at] ?? 0) {
        if (code < 32 || code > 126 || code === BACKSLASH) return false;
        hash = nextHash(hash, code);
      }
      name = names.find(units, from, at, hash);
      if (name !== NO_NAME) names.follow(before, name);
    }
    this.before = name;
    const cell = depth * MAX_NAMES + name;
    const serial = this.serials[depth] ?? 0;
    if (name === NO_NAME || this.seen[cell] === serial) return false;
    this.seen[cell] = serial;
    if (!this.passColon(at)) return false;
    this.name = name;
    this.place = names.facts[name]?.place ?? this.parts.root;
    if (name >= NAME_COUNT) {
      this.shape = OTHERS[outer] ?? 0;
      return true;
    }
    this.shape = MEMBERS[outer * NAME_COUNT + name] ?? 0;
    const roles = (this.roles[depth] ?? 0) | (ROLE[name] ?? 0);
    this.roles[depth] = roles;
    return roles !== 3;
  }

  private passColon(nameEnd: number): boolean {
    this.at = nameEnd + 1;
    this.passBlank();
    if (this.units[this.at++] !== COLON) return false;
    this.passBlank();
    return true;
  }

  /** A number says nothing about its value. Duplicates are detected at the end of the object. */
  private passNumericName(depth: number, outer: number): boolean {
    const { units } = this;
    const from = this.at + 1;
    let end = from;
    let number = 0;
    for (let code = units[end]; isDigit(code); code = units[++end]) number = number * 10 + code - ZERO;
    const digits = end - from;
    if (units[end] !== QUOTE || digits > MAX_INDEX_DIGITS || (units[from] === ZERO && digits > 1))
      return false;
    if (this.parts.rules.text.shortest === 0) return false;
    this.numbers.add(depth, number);
    this.name = NAME_COUNT;
    this.shape = OTHERS[outer] ?? 0;
    this.place = this.parts.root;
    return this.passColon(end);
  }

  /** Passes a whole value, or the opening bracket of a container. */
  private passValue(): boolean {
    const kinds = KINDS[this.shape] ?? 0;
    switch (this.units[this.at]) {
      case QUOTE:
        return (kinds & KIND.text) !== 0 && this.passText();
      case 123:
        return (kinds & KIND.object) !== 0 && this.open(0);
      case 91:
        return (kinds & KIND.list) !== 0 && this.open(1);
      case 116:
        return (kinds & KIND.flag) !== 0 && this.passWord('true');
      case 102:
        return (kinds & KIND.flag) !== 0 && this.passWord('false');
      case 110:
        return (kinds & KIND.nothing) !== 0 && this.passWord('null');
      default:
        return this.passNumber(kinds);
    }
  }

  private passWord(word: string): boolean {
    const { at } = this;
    this.at = at + word.length;
    return this.text.startsWith(word, at);
  }

  private open(isList: 0 | 1): boolean {
    const { kind, facts } = this.place;
    if (kind !== null || (isList === 1 && facts.flatHeaders) || this.depth === SHAPE_LIMITS.depth)
      return false;
    const depth = ++this.depth;
    if (depth > this.deepest) this.deepest = depth;
    this.shapes[depth] = this.shape;
    this.places[depth] = this.place;
    this.isList[depth] = isList;
    this.counts[depth] = 0;
    this.roles[depth] = 0;
    this.numbers.open(depth);
    this.serials[depth] = ++this.serial;
    this.at++;
    return true;
  }

  private close(): boolean {
    const depth = this.depth--;
    this.at++;
    if (!this.numbers.close(depth)) return false;
    if (this.shapes[depth] !== EXCEPTIONS_SHAPE) return true;
    return this.seen[depth * MAX_NAMES + VALUES] === this.serials[depth];
  }

  private passNumber(kinds: number): boolean {
    const from = this.at;
    const at = numberEnd(this.units, from);
    if (at === -1) return false;
    this.at = at;
    const text = this.text.slice(from, at);
    if ((kinds & (text.includes('.') ? KIND.number : KIND.number | KIND.whole)) === 0) return false;
    const { place } = this;
    const isTime = this.depth === 1 && this.name === TIMESTAMP;
    if (at - from > MAX_INDEX_DIGITS && isCardNumber(Number(text))) return false;
    if (place.plain && !isTime) return true;
    const value = Number(text);
    return !(isTime && parseTimestamp(value) === null) && !goesByName(value, place);
  }

  private passText(): boolean {
    const from = this.at + 1;
    const mayBeKnown = this.place.plain && this.name !== EVENT_ID_NAME && this.name !== TIMESTAMP;
    const end = mayBeKnown ? this.texts.endOf(this.units, from) : -1;
    const isKnown = end !== -1;
    const found = isKnown ? 0 : scanInJson(this.units, from, this.text, this.parts.rules.text.prefilter);
    const to = isKnown ? end : scannedTo();
    if (this.units[to] !== QUOTE || to >= this.text.length) return false;
    this.at = to + 1;
    const fits = this.name === NO_NAME ? this.fitsList(from) : this.depth > 1 || this.fitsCrash(from, to);
    return fits && (isKnown || this.isCleanText(from, to, found));
  }

  /** The text after `--password` in a list, and the second of a pair, are named by the text before them. */
  private fitsList(from: number): boolean {
    const { units, depth } = this;
    if (units[from] === DASH || (units[from] === BACKSLASH && units[from + 1] === 117)) return false;
    return this.counts[depth] !== 1 || this.isList[depth - 1] !== 1;
  }

  private fitsCrash(from: number, to: number): boolean {
    const { name } = this;
    if (name >= NAME_COUNT) return true;
    const first = this.units[from] ?? 0;
    if (DESCRIBES[name] === 1 && first > 32 && first < 127 && first !== BACKSLASH && first !== QUOTE)
      this.isDescribed = true;
    if (name === EVENT_ID_NAME) {
      this.eventId = this.text.slice(from, to);
      return EVENT_ID.test(this.eventId);
    }
    // A timestamp with an escape is not recognised here.
    return name !== TIMESTAMP || parseTimestamp(this.bytes.toString('utf8', from, to)) !== null;
  }

  private isCleanText(from: number, to: number, found: number): boolean {
    const { rules } = this.parts;
    this.escaped = (found & ESCAPED) !== 0;
    if (!this.place.plain) return !touchesLeaf(rules, this.decoded(from, to), this.place, this.pending);
    if (this.escaped) this.pending.push(this.decoded(from, to));
    else if (to - from >= rules.text.shortest && rules.text.isDue(found))
      this.pending.push(this.decoded(from, to));
    return true;
  }

  /** Throws `SyntaxError` for an invalid escape. */
  private decoded(from: number, to: number): string {
    if (!this.escaped) return this.bytes.toString('utf8', from, to);
    return JSON.parse(this.bytes.toString('utf8', from - 1, to + 1)) as string;
  }
}

/** Names whose role the reader knows, besides those of the crash object. */
const ROLES = ['name', 'key', 'Name', 'Key', 'value', 'Value'];

/** The common form of every shape, by number, so that one lookup finds the shape of a member. Shape 0 is anything. */
const shapes = collectShapes();
/** Every named member; the id of a name is its index. */
const NAMES: readonly string[] = [
  ...new Set([...shapes.flatMap(({ members }) => Object.keys(members ?? {})), ...ROLES]),
];
const numberOf = (shape: ValueShape | undefined) => Math.max(0, shapes.indexOf(shape ?? ANYTHING));

const KINDS = Uint8Array.from(shapes, ({ kinds }) => kinds);
const ITEMS = Uint8Array.from(shapes, ({ items }) => numberOf(items));
/** The shape of members without a name of their own. */
const OTHERS = Uint8Array.from(shapes, ({ others }) => numberOf(others));
/** The shape of a named member, at shape × {@link NAMES} + name. */
const MEMBERS = Uint8Array.from(
  shapes.flatMap(({ members, others }) => NAMES.map((name) => numberOf(members?.[name] ?? others))),
);

const NAME_COUNT = NAMES.length;
const idOf = (name: string) => NAMES.indexOf(name);
const isIn = (...names: readonly string[]) => Uint8Array.from(NAMES, (name) => +names.includes(name));
/** 1: a `value` that a sibling names; 2: such a sibling. */
const ROLE = isIn('value', 'Value').map((is, id) => is + 2 * (isIn('name', 'key', 'Name', 'Key')[id] ?? 0));
/** Members that are enough to describe a crash. */
const DESCRIBES = isIn('message', 'stack');
const EVENT_ID_NAME = idOf('event_id');
const TIMESTAMP = idOf('timestamp');
const VALUES = idOf('values');
const CRASH_SHAPE = numberOf(CRASH);
const EXCEPTIONS_SHAPE = numberOf(EXCEPTIONS);
const EXCEPTION_LIST = MEMBERS[EXCEPTIONS_SHAPE * NAME_COUNT + VALUES] ?? 0;

function collectShapes(): readonly ValueShape[] {
  const found: ValueShape[] = [ANYTHING];
  const collect = (shape: ValueShape | undefined) => {
    if (shape === undefined || found.includes(shape)) return;
    found.push(shape);
    for (const inner of [...Object.values(shape.members ?? {}), shape.others, shape.items]) collect(inner);
  };
  collect(CRASH);
  return found;
}

/** Detects duplicates among members whose names are numbers, without a hash table that a sender could flood. */
class NumericNames {
  private readonly numbers: number[] = [];
  /** By depth: where the open object's numbers begin, and whether they ascend, as `JSON.stringify` writes them. */
  private readonly starts = new Uint32Array(ROOM);
  private readonly ascend = new Uint8Array(ROOM);

  /** Call before each document. */
  begin(): void {
    this.numbers.length = 0;
  }

  open(depth: number): void {
    this.starts[depth] = this.numbers.length;
    this.ascend[depth] = 1;
  }

  add(depth: number, number: number): void {
    const { numbers } = this;
    const isFirst = numbers.length === this.starts[depth];
    if (!isFirst && number <= (numbers[numbers.length - 1] ?? 0)) this.ascend[depth] = 0;
    numbers.push(number);
  }

  /** Returns false if a number is a duplicate. */
  close(depth: number): boolean {
    const start = this.starts[depth] ?? 0;
    if (this.numbers.length === start) return true;
    const isSound = this.ascend[depth] === 1 || allDiffer(Float64Array.from(this.numbers.slice(start)));
    this.numbers.length = start;
    return isSound;
  }
}

function allDiffer(numbers: Float64Array): boolean {
  numbers.sort();
  for (let index = 1; index < numbers.length; index++) {
    if (numbers[index] === numbers[index - 1]) return false;
  }
  return true;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `null`: not UTF-8. */
function textOf(body: Uint8Array): string | null {
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}

/** Characters of a number, sign and dot included. A longer number could change when parsed. */
const MAX_NUMBER_CHARS = 17;
const DOT = 46;
const ZERO = 48;

const isDigit = (code: number | undefined): code is number =>
  code !== undefined && code >= ZERO && code <= 57;

/** Where the number that begins at `from` ends; -1 if it is invalid or can be written in another way: `-0`, `1e3`. */
function numberEnd(units: Uint16Array, from: number): number {
  let at = from;
  if (units[at] === DASH) at++;
  const first = at;
  while (isDigit(units[at])) at++;
  if (at === first || (units[first] === ZERO && at - from > 1)) return -1;
  if (units[at] === DOT) {
    const fraction = ++at;
    while (isDigit(units[at])) at++;
    if (at === fraction) return -1;
  }
  return at - from > MAX_NUMBER_CHARS ? -1 : at;
}
