import type { CrashException, Event, Frame } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import type { Family } from '../../domain/group.js';
import { boundedMap } from '../../resilience/bounded-map.js';
import { sha256Hex } from '../hash.js';
import { guessInApp } from '../normalise/in-app.js';
import { platformFamily } from '../normalise/platform-family.js';
import { type Basis, basisOf, type Place, THEN } from './basis.js';
import { frameKey, reach } from './frame-key.js';
import { traitsOf, type Words, wordsOf } from './traits.js';

/** How an event is counted: its fingerprint, and what distinguishes it from others at the same places. */
export interface Fingerprints {
  readonly fingerprint: Fingerprint;
  /** Hashes of earlier versions, by which runs that began with them are found. */
  readonly aliases: readonly string[];
  readonly family: Family | undefined;
}

/** Most crashes are like one before, and hashing costs more than reading. */
const KNOWN = boundedMap<string, Fingerprints>(4_000, {
  most: 4_000_000,
  of: ({ fingerprint }) => fingerprint.parts.reduce((sum, { length }) => sum + length, 1_000),
});

/** The event's fingerprint, and its hashes from earlier versions as long as runs that began with them may be open. */
export function fingerprintsOf(event: Event): Fingerprints {
  const reading = readingOf(event);
  const text = JSON.stringify(reading);
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  const made = { ...version2(reading), aliases: [version1(reading)] };
  KNOWN.set(text, made);
  return made;
}

/** Why the event is an incident of its own, in the newest version. */
export function fingerprintEvent(event: Event): Fingerprint {
  return fingerprintsOf(event).fingerprint;
}

function readingOf(event: Event): Reading {
  const { platform, release, commit, fingerprint } = event;
  const keyed = keyedFrames(event);
  const { places: most } = reach(platform);
  let alike = true;
  const basis = basisOf(event, (exception) => {
    const places = places2(keyed(exception), exception, platform);
    alike &&= areAlike(places, places1(keyed(exception), most));
    return places;
  });
  const named = ({ strategy, parts }: Pick<typeof basis, 'strategy' | 'parts'>) => ({ strategy, parts });
  // The versions differ in few crashes: recursion, compiled asynchronous functions, chunks.
  const earlier = alike ? null : named(basisOf(event, (exception) => places1(keyed(exception), most)));
  return {
    basis: named(basis),
    earlier,
    words: wordsOf(event, basis),
    build: release ?? commit ?? '',
    sent: fingerprint,
  };
}

function areAlike(some: readonly Place[], others: readonly Place[]): boolean {
  return some.length === others.length && some.every(({ key }, at) => key === others[at]?.key);
}

/** The frames of an exception that have a key, within the platform's reach: the project's own, or all if it has none. */
type KeyedFrames = (exception: CrashException) => readonly Place[];

/** Reads each exception once: every version of the fingerprint begins with this. */
function keyedFrames({ platform }: Event): KeyedFrames {
  const read = new Map<CrashException, readonly Place[]>();
  const isOwn = (frame: Frame) =>
    frame.in_app !== false && guessInApp(frame, frame.platform ?? platform) !== false;
  const keyed = (frames: readonly Frame[]) => {
    const found: Place[] = [];
    for (const frame of frames) {
      const key = frameKey(frame, platform);
      if (key !== null) found.push({ key, frame });
    }
    return found;
  };
  return (exception) => {
    const known = read.get(exception);
    if (known !== undefined) return known;
    const frames = exception.frames.slice(-reach(platform).frames);
    // A key costs more than the question whose frame it is, and most frames of most stacks are a library's.
    const own = keyed(frames.filter(isOwn));
    const found = own.length > 0 ? own : keyed(frames);
    read.set(exception, found);
    return found;
  };
}

/**
 * Only what every form of a crash contains counts: no type, folder or source line. Runs that began with it keep it, so it must
 * not change: see `docs/decisions/0071-fingerprint-v2.md`.
 */
function version1({ basis, earlier, sent }: Reading): string {
  const { strategy, parts } = earlier ?? basis;
  const custom = sentParts(sent, parts);
  return hashOf('v1', custom === null ? strategy : 'custom', custom ?? parts);
}

/** Recursion counts once if it calls itself. */
function places1(keyed: readonly Place[], most: number): readonly Place[] {
  return keyed.filter(({ key }, at) => key !== keyed[at - 1]?.key).slice(-most);
}

const VERSION = 'v2';
type Limit = ReturnType<typeof reach>;

/**
 * The basis names the family of a crash: where it happened, in every form the same. Types, folders and the source line are its
 * traits, which tell the incidents of a family apart as far as a form has them. A fingerprint set by the sender alone has no
 * family. See `docs/decisions/0071-fingerprint-v2.md`.
 */
function version2({ basis, words, build, sent }: Reading): Omit<Fingerprints, 'aliases'> {
  const shown = partsOf(basis, words);
  const custom = sentParts(sent, shown);
  const parts = custom ?? shown;
  const strategy = custom === null ? basis.strategy : 'custom';
  const fingerprint = { version: VERSION, hash: hashOf(VERSION, strategy, parts), parts };
  if (isOnlyCustom(sent)) return { fingerprint, family: undefined };
  const name = hashOf(VERSION, `family ${strategy}`, sentParts(sent, basis.parts) ?? basis.parts);
  return { fingerprint, family: { name, traits: traitsOf(words, build) } };
}

/** The basis and the traits, for display: `exception TypeError`, `frame orders/route.js GET`, `line return total.x`. */
function partsOf({ strategy, parts }: Reading['basis'], { kinds, folders, line }: Words): readonly string[] {
  const kindAt = (at: number) => (kinds[at] ? [kinds[at]] : []);
  if (strategy !== 'stack') return [...kindAt(0), ...parts];
  let [stack, place] = [0, 0];
  const shown = parts.flatMap((part) => {
    if (part === THEN) return [part, ...kindAt(++stack)];
    const folder = folders[place++];
    return [folder ? `frame ${folder}/${part.slice('frame '.length)}` : part];
  });
  return [...kindAt(0), ...shown, ...(line === '' ? [] : [`line ${line}`])];
}

/** Each place once, in the order of its last call: recursion of any shape and depth is the same. */
function places2(keyed: readonly Place[], exception: CrashException, platform: string): readonly Place[] {
  const script = platformFamily(platform) === 'javascript';
  const own = script ? ofScript(keyed, exception) : keyed;
  const limit = reach(platform);
  const last = new Map(own.map(({ key }, at) => [key, at]));
  const once = own.filter(({ key }, at) => last.get(key) === at).slice(-limit.places);
  return script ? withoutCut(own, once, exception.frames.length, limit) : once;
}

/** What compilers add to the stack of an asynchronous function, and what of it is hardly a name of anybody's own. */
const HELPER =
  /^(?:Object\.|Generator\.)?(?:__awaiter|__async|__generator|asyncGeneratorStep|_asyncToGenerator|fulfilled|rejected|step|next|tryCatch|invoke|_next|_throw)$/;
const SURE_HELPER = /^(?:__awaiter|__async|asyncGeneratorStep|_asyncToGenerator|fulfilled|rejected)$/;

/** Without the helpers of compiled asynchronous functions. A chunk that a bundler named by a number or hash has no name. */
function ofScript(keyed: readonly Place[], { frames }: CrashException): readonly Place[] {
  const compiled = frames.some((frame) => SURE_HELPER.test(frame.function ?? ''));
  const written = compiled ? keyed.filter(({ frame }) => !HELPER.test(frame.function ?? '')) : keyed;
  return (written.length > 0 ? written : keyed).map(({ key, frame }) => ({
    key: key.replace(/^(?:\d+|[0-9a-f]{8,64})(?=(?:\.chunk)?\.m?js\b)/, 'chunk'),
    frame,
  }));
}

/**
 * V8 prints ten frames, of which recursion may leave few or none to its callers. Then these do not count: the next crash may be
 * one call deeper. An anonymous function has no name after its file's, and may be another one.
 */
function withoutCut(places: readonly Place[], once: readonly Place[], frames: number, limit: Limit) {
  if (frames < limit.frames || once.length >= limit.places) return once;
  const count = new Map<string, number>();
  for (const { key } of places) count.set(key, (count.get(key) ?? 0) + 1);
  const repeated = ({ key }: Place) => key.includes(' ') && (count.get(key) ?? 0) > 1;
  const first = places.findIndex(repeated);
  const called = new Set(places.slice(Math.max(0, first)).map(({ key }) => key));
  return first < 0 ? once : once.filter(({ key }) => called.has(key));
}

type Named = Pick<Basis, 'strategy' | 'parts'>;

/** All that counts of a crash. Its fingerprints are computed from nothing else, so crashes that read alike share them. */
interface Reading {
  readonly basis: Named;
  /** That of version 1 if it is another. */
  readonly earlier: Named | null;
  readonly words: Words;
  /** What names the build that has the source line; empty if unknown. */
  readonly build: string;
  /** The sender's own fingerprint. */
  readonly sent: readonly string[] | null;
}

/** 64 hex digits; the same on every machine. */
function hashOf(version: string, strategy: string, parts: readonly string[]): string {
  return sha256Hex(JSON.stringify([version, strategy, parts]));
}

/** Senders write `{{ default }}` once. */
const MAX_DEFAULTS = 2;

/**
 * The parts that a sender's own fingerprint stands for; `null` if it sent none. `defaults` take the place of `{{ default }}`:
 * a few characters would stand for thousands of parts, again and again.
 */
function sentParts(sent: Reading['sent'], defaults: readonly string[]): readonly string[] | null {
  if (sent === null || (sent.length === 1 && isDefault(sent[0]))) return null;
  let count = 0;
  return sent.flatMap((part) => {
    if (!isDefault(part)) return [`custom ${part}`];
    return count++ < MAX_DEFAULTS ? defaults : [];
  });
}

/** Whether the sender's fingerprint leaves the default out. */
function isOnlyCustom(sent: Reading['sent']): boolean {
  return sent?.some(isDefault) === false;
}

const isDefault = (part: string | undefined) => /^\{\{ ?default ?\}\}$/.test(part ?? '');
