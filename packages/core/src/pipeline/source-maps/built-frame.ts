import type { Event, Frame } from '../../domain/event.js';
import type { BuiltFrame } from '../../ports/source-maps.js';

/** Distinct places looked up for one crash. */
const MAX_PLACES = 200;

/** `asset.1f3a9c20.js`, `index-BvW2mV8b.js`: a name with a content hash. */
const HASHED = /[.-](?=[\w-]*\d)[\w-]{8,}\.(?:[cm]?js|bundle)$/i;
const MINIFIED = /\.min\.[cm]?js$/i;
const BUILD_FOLDER = /(?:^|\/)(?:dist|build|assets|static|bundles?|_next|\.output)\//;
const SCRIPT = /\.(?:[cm]?js|bundle|jsbundle)$/i;

/** The place of a frame that a source map may explain; `null` for any other frame. */
export function builtFrameOf(frame: Frame): BuiltFrame | null {
  const { line, column, in_app, debug_id = null } = frame;
  if (in_app === false || line === null || column === null) return null;
  const names = namesOf(frame);
  const known = debug_id !== null || names.some((name) => SCRIPT.test(name));
  return known && names.length > 0 ? { names, debug_id, line, column } : null;
}

/** True if the code at this place was written by a program, so that without a source map nobody can read it. */
export function isGenerated({ names, debug_id }: BuiltFrame): boolean {
  return debug_id !== null || names.some((name) => MINIFIED.test(name));
}

/** True if the file looks like the output of a build. */
export function looksBuilt(place: BuiltFrame): boolean {
  const built = (name: string) =>
    /^(?:https?|app|capacitor|ionic):\/\//i.test(name) || HASHED.test(name) || BUILD_FOLDER.test(name);
  return isGenerated(place) || place.names.some(built);
}

/** Every distinct place of an event, the crashed one first. */
export function placesOf({ exceptions }: Event): readonly BuiltFrame[] {
  const found = new Map<string, BuiltFrame>();
  for (const { frames } of [...exceptions].reverse()) {
    for (const frame of [...frames].reverse()) {
      const place = builtFrameOf(frame);
      if (place === null || found.has(keyOf(place))) continue;
      if (found.size === MAX_PLACES) return [...found.values()];
      found.set(keyOf(place), place);
    }
  }
  return [...found.values()];
}

export function keyOf({ names, debug_id, line, column }: BuiltFrame): string {
  return JSON.stringify([names, debug_id, line, column]);
}

/** Without query and fragment, which do not name a file. */
function namesOf({ abs_path, file }: Frame): readonly string[] {
  const names = [abs_path, file].flatMap((name) => (name === null ? [] : [name.replace(/[?#].*$/s, '')]));
  return [...new Set(names.filter((name) => name !== ''))];
}
