import type { Frame } from '../../domain/event.js';
import type { Excerpt } from '../draft/draft-source.js';
import { excerptAround } from '../excerpt.js';
import { isDeniedPath } from '../locate/denied-path.js';
import type { TextScrubber } from '../scrub-text.js';
import type { MappedEvent } from './map-event.js';

/** The scrubbed lines around a source-mapped frame, as its map contains them; `null` if it does not or must not show them. */
export function mapSource(
  { file, line, context_line, pre_context, post_context }: Frame,
  around: number,
  scrub: TextScrubber,
): { readonly from: number; readonly lines: readonly string[] } | null {
  if (file === null || line === null || context_line === null || isDeniedPath(file)) return null;
  const first = line - pre_context.length;
  const lines = [...pre_context, context_line, ...post_context];
  const shown = excerptAround(lines, pre_context.length + 1, around, scrub);
  return shown && { from: first + shown.from - 1, lines: shown.lines };
}

/** The lines around the crash from a source map, for a file that the code host did not show. */
export function mapExcerpt(
  frames: readonly Frame[],
  mapped: MappedEvent['mapped'],
  around: number,
  scrub: TextScrubber,
): Excerpt | null {
  const crashed = frames.findLast(({ in_app }) => in_app !== false);
  if (crashed === undefined || crashed.file === null || crashed.line === null || !mapped.has(crashed))
    return null;
  const shown = mapSource(crashed, around, scrub);
  return shown && { path: crashed.file, crashed: crashed.line, from_map: true, ...shown };
}
