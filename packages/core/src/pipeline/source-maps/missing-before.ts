import type { Event, Frame } from '../../domain/event.js';
import type { SourceMaps } from '../../ports/source-maps.js';
import { crashException } from '../locate/crash-exception.js';
import { builtFrameOf, keyOf, looksBuilt } from './built-frame.js';
import { mapQuery } from './map-event.js';
import { type MissingSourceMap, missingMaps } from './missing-maps.js';

/**
 * The built files of a crash that waits for its analysis for which no source map was uploaded. Reads no map. `null`: these source
 * maps do not say it.
 */
export async function missingBefore(
  event: Event,
  sourceMaps: SourceMaps | null,
  signal: AbortSignal,
): Promise<readonly MissingSourceMap[] | null> {
  if (sourceMaps?.uploaded === undefined) return null;
  const query = mapQuery(event);
  const frames = crashException(event)?.exception.frames ?? [];
  if (query.frames.length === 0) return [];
  const uploaded = await sourceMaps.uploaded(query, signal);
  const missing = new Set(query.frames.filter((_, index) => uploaded[index] === false).map(keyOf));
  const outcomeOf = (frame: Frame) => {
    const place = builtFrameOf(frame);
    return place !== null && missing.has(keyOf(place)) ? ({ status: 'no_map' } as const) : null;
  };
  return missingMaps(event, frames, [], outcomeOf);
}

/** True if a frame of the event is in a file that looks like the output of a JavaScript build. */
export function hasBuiltFrames({ exceptions }: Event): boolean {
  return exceptions.some(({ frames }) => frames.some(looksBuiltFrame));
}

function looksBuiltFrame(frame: Frame): boolean {
  const place = builtFrameOf(frame);
  return place !== null && looksBuilt(place);
}
