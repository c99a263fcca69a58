import type { CrashException, Event } from '../../domain/event.js';
import { guessInApp } from '../normalise/in-app.js';
import type { Place } from './basis.js';
import { frameKey, reach } from './frame-key.js';

/** The frames of an exception that have a key, within the platform's reach: the project's own, or all if it has none. */
export type KeyedFrames = (exception: CrashException) => readonly Place[];

/** Reads each exception once: every version of the fingerprint begins with this. */
export function keyedFrames({ platform }: Event): KeyedFrames {
  const read = new Map<CrashException, readonly Place[]>();
  return (exception) => {
    const known = read.get(exception);
    if (known !== undefined) return known;
    const keyed = exception.frames.slice(-reach(platform).frames).flatMap((frame) => {
      const key = frameKey(frame, platform);
      const own = frame.in_app !== false && guessInApp(frame, frame.platform ?? platform) !== false;
      return key === null ? [] : [{ key, frame, own }];
    });
    const own = keyed.filter((place) => place.own);
    const found = own.length > 0 ? own : keyed;
    read.set(exception, found);
    return found;
  };
}
