import type { CrashException, Frame } from '../../domain/event.js';
import { cleanPath, isLibraryPath } from '../locate/clean-path.js';
import type { Outgoing } from '../sanitise-outgoing.js';
import type { DraftText, Section } from './draft-source.js';
import { codeSpan, fence } from './safe-markdown.js';
import { shortFunction } from './short-function.js';
import { clip } from './visible.js';

const MOST_CAUSES = 6;
const MOST_FRAMES = 3;

/**
 * The other exceptions of the chain or the group, nearest to the one that threw first: what a wrapper hides is often
 * what an engineer looks for.
 */
export function causesSection({ event, thrown, outgoing }: DraftText): readonly Section[] {
  if (thrown === null) return [];
  const others = event.exceptions.filter((_, index) => index !== thrown.index).reverse();
  const told = others.filter(({ type, value }) => type !== null || value !== null);
  if (told.length === 0) return [];
  const isGroup = /Exception ?Group|AggregateE(?:rror|xception)/.test(thrown.exception.type ?? '');
  const lines = told.slice(0, MOST_CAUSES).map((exception) => causeText(exception, outgoing));
  const more = told.length > MOST_CAUSES ? [`${told.length - MOST_CAUSES} more not shown.`] : [];
  const heading = isGroup ? '**In this group:**' : '**Caused by:**';
  return [{ name: 'the causes', expendable: 1, text: [heading, lines.join('\n'), ...more].join('\n\n') }];
}

function causeText({ type, value, frames }: CrashException, outgoing: Outgoing): string {
  const said = [type, value].flatMap((part) => (part ? codeSpan(outgoing(part)) : []));
  const own = frames.filter(
    (frame) => frame.in_app ?? !isLibraryPath(frame.abs_path ?? frame.file ?? 'node_modules/'),
  );
  const shown = (own.length > 0 ? own : frames).slice(-MOST_FRAMES).reverse();
  return [`- ${said.join(': ')}`, ...shown.map((frame) => `  - ${placeOf(frame, outgoing)}`)].join('\n');
}

function placeOf({ file, abs_path, module, function: name, line }: Frame, outgoing: Outgoing): string {
  const path = file ?? abs_path ?? module ?? 'unknown';
  const place = line === null ? (cleanPath(path) ?? path) : `${cleanPath(path) ?? path}:${line}`;
  const where = codeSpan(outgoing(place), 200);
  return name === null ? `at ${where}` : `at ${where} in ${codeSpan(shortFunction(outgoing(name)), 120)}`;
}

const REPORTED_CHARS = 4_000;

/** A stack that was reported as text and that nothing here can read: better as it is than not at all. */
export function reportedStack({ event, outgoing }: DraftText): readonly Section[] {
  const { stack } = event.extra;
  if (typeof stack !== 'string' || stack.trim() === '') return [];
  if (event.exceptions.some(({ frames }) => frames.length > 0)) return [];
  const text = fence(clip(outgoing(stack), REPORTED_CHARS), 'text');
  return [{ name: 'the reported stack', expendable: 6, text: `### Stack as it was reported\n\n${text}` }];
}
