import * as v from 'valibot';
import type { Event } from './event.js';
import { about, count, type Doc, text } from './schema.js';

export const placeSchema = v.object({ function: text, file: text, line: about(count, '1-based.') });
/** Where a crash was thrown, as reported. */
export interface CrashPlace extends Doc<typeof placeSchema> {}

/** Lists show the end of a path; a longer one is cut at its beginning. */
const MAX_CHARS = 160;

/** The last frame of the project's own code in the exception that was raised last, else its last frame. */
export function crashPlaceOf({ exceptions }: Pick<Event, 'exceptions'>): CrashPlace | undefined {
  const frames = exceptions.findLast((exception) => exception.frames.length > 0)?.frames ?? [];
  const frame = frames.findLast(({ in_app }) => in_app === true) ?? frames.at(-1);
  if (frame === undefined) return undefined;
  const { function: name, file, line } = frame;
  return { function: name?.slice(0, MAX_CHARS) ?? null, file: file?.slice(-MAX_CHARS) ?? null, line };
}
