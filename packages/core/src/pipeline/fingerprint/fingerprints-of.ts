import type { CrashException, Event, Frame } from '../../domain/event.js';
import type { Fingerprint } from '../../domain/fingerprint.js';
import type { Family } from '../../domain/group.js';
import { boundedMap } from '../../resilience/bounded-map.js';
import { guessInApp } from '../normalise/in-app.js';
import { basisOf, type Place } from './basis.js';
import { frameKey, reach } from './frame-key.js';
import { hashOf, type Reading, sentParts } from './reading.js';
import { wordsOf } from './traits.js';
import { places2, version2 } from './version-2.js';

/** How an event is counted: its fingerprint, and what tells it apart from others at the same places. */
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
