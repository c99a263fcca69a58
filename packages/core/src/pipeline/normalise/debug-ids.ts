import type { CrashException, Frame } from '../../domain/event.js';
import type { JsonObject } from '../../domain/json.js';
import { asList, asObject, asText, type Json, objectsOf } from './read.js';

/** Images read from a crash. A page may load hundreds of scripts. */
const MAX_IMAGES = 500;
const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** A debug id in lower case with dashes; `null` for anything else. */
export function debugIdOf(value: Json): string | null {
  const parts = UUID.exec((asText(value) ?? '').toLowerCase());
  return parts === null ? null : parts.slice(1).join('-');
}

/** Gives each frame the debug id of its file, which Sentry's SDKs list in `debug_meta.images`. */
export function withDebugIds(
  exceptions: readonly CrashException[],
  crash: JsonObject,
): readonly CrashException[] {
  const images = asList(asObject(crash.debug_meta)?.images).slice(0, MAX_IMAGES);
  const ids = new Map<string, string>();
  for (const { type, code_file, debug_id } of objectsOf(images)) {
    const id = type === 'sourcemap' ? debugIdOf(debug_id) : null;
    const file = asText(code_file);
    if (id !== null && file !== null) ids.set(file, id);
  }
  if (ids.size === 0) return exceptions;
  const idOf = ({ abs_path, file }: Frame) => ids.get(abs_path ?? '') ?? ids.get(file ?? '');
  return exceptions.map((exception) => ({
    ...exception,
    frames: exception.frames.map((frame) => {
      const id = frame.debug_id ?? idOf(frame);
      return id === undefined ? frame : { ...frame, debug_id: id };
    }),
  }));
}
