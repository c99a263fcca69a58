import type { CrashException, Event, Frame } from '../../domain/event.js';
import { guessInApp } from '../normalise/in-app.js';
import type { Place } from './basis.js';
import { frameKey, reach } from './frame-key.js';

/** The frames of an exception that have a key, within the platform's reach: the project's own, or all if it has none. */
export type KeyedFrames = (exception: CrashException) => readonly Place[];

/** Reads each exception once: every version of the fingerprint begins with this. */
export function keyedFrames({ platform }: Event): KeyedFrames {
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
