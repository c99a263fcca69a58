import * as v from 'valibot';
import type { LocatedFrame } from '../../domain/code-mapping.js';
import type { Event, Frame } from '../../domain/event.js';
import { about, type Doc, text } from '../../domain/schema.js';
import type { BuiltFrame, SourceMaps } from '../../ports/source-maps.js';
import { crashException } from '../locate/crash-exception.js';
import { builtFrameOf, isGenerated, keyOf, looksBuilt } from './built-frame.js';
import { type MappedEvent, mapQuery } from './map-event.js';

/** Why a built file's frames are shown as reported. The codes of {@link MissingSourceMap}. */
const MISSING_SOURCE_MAP = {
  /** Nothing was uploaded for this file. */
  no_source_map: 'no source map',
  /** A map was uploaded, but it knows no original of the crashed place: it belongs to another build. */
  other_build: 'a source map of another build',
  /** The stored map cannot be read. */
  unreadable_source_map: 'an unreadable source map',
} as const;
/** A stable code of {@link MISSING_SOURCE_MAP}. */
export type MissingSourceMapCode = keyof typeof MISSING_SOURCE_MAP;

export const missingSourceMapSchema = v.object({
  code: v.picklist(Object.keys(MISSING_SOURCE_MAP) as MissingSourceMapCode[]),
  file: about(v.string(), 'As the crash reports it, without scheme and query.'),
  release: text,
  dist: text,
  command: about(
    v.string(),
    'Uploads it. Safe to paste into a shell. Upper-case words stand for what is not known.',
  ),
});
/** A built file of a crash without a source map, and the command that fixes it. */
export interface MissingSourceMap extends Doc<typeof missingSourceMapSchema> {}

const MAX = 5;
const CODES = {
  no_map: 'no_source_map',
  unmapped: 'other_build',
  unreadable: 'unreadable_source_map',
} as const;

/** The built files of an exception whose frames no source map explained, the crashed one first. */
export function missingMaps(
  event: Event,
  frames: readonly Frame[],
  located: readonly LocatedFrame[],
  outcomeOf: MappedEvent['outcomeOf'],
): readonly MissingSourceMap[] {
  const inRepository = new Set(located.map(({ frame }) => frame));
  const found = new Map<string, MissingSourceMap>();
  for (let index = frames.length - 1; index >= 0 && found.size < MAX; index--) {
    const frame = frames[index];
    const place = frame === undefined ? null : builtFrameOf(frame);
    const outcome = frame === undefined ? null : outcomeOf(frame);
    if (place === null || outcome === null || outcome.status === 'mapped') continue;
    if (!(inRepository.has(index) ? isGenerated(place) : looksBuilt(place))) continue;
    const [name = ''] = place.names;
    const file = shown(name);
    if (found.has(file)) continue;
    const { release, dist } = event;
    found.set(file, {
      code: CODES[outcome.status],
      file,
      release,
      dist,
      command: uploadCommand(event, place),
    });
  }
  return [...found.values()];
}

/** `no source map for app.min.js of release 2.4.1`. */
export function missingMapText({ code, file, release }: MissingSourceMap): string {
  return `${MISSING_SOURCE_MAP[code]} for ${file}${release === null ? '' : ` of release ${release}`}`;
}

function shown(name: string): string {
  return name.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\/[^/]*/i, '').replace(/^\/+/, '') || name;
}

/** What a shell takes as one word, without quotes. The values come from outside. */
const WORD = /^[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+:,./=-]{0,199}$/;

/** Folders of builds, from which a path of a file system leads to the folder that was built. */
const BUILD = /(?:^|[\\/])(dist|build|out|\.output|\.next)(?=[\\/])/g;

function folderOf({ names }: BuiltFrame): string {
  const paths = names.filter((name) => !/^[a-z][a-z0-9+.-]+:\/\//i.test(name));
  return paths.flatMap((path) => [...path.matchAll(BUILD)].at(-1)?.[1] ?? [])[0] ?? 'dist';
}

function uploadCommand({ project, release, dist }: Event, place: BuiltFrame): string {
  const word = (value: string, otherwise: string) => (WORD.test(value) ? value : otherwise);
  return [
    `culprit sourcemaps upload ${folderOf(place)}`,
    ...(release === null ? [] : [`--release ${word(release, 'RELEASE')}`]),
    ...(dist === null ? [] : [`--dist ${word(dist, 'DIST')}`]),
    ...(project === 'default' ? [] : [`--project ${word(project, 'PROJECT')}`]),
  ].join(' ');
}

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
