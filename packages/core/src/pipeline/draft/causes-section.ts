import type { CrashException } from '../../domain/event.js';
import { isGroup } from '../locate/crash-exception.js';
import type { TextScrubber } from '../scrub-text.js';
import type { DraftText, Section } from './draft-source.js';
import { aboveRepository, lastFrames, placeOf, shortFunction } from './frame-place.js';
import { codeSpan, fence } from './safe-markdown.js';
import { clip } from './visible.js';

const MAX_CAUSES = 6;
const MAX_FRAMES = 3;

/** The other exceptions of the chain or group, starting with the one nearest to the followed exception. */
export function causesSection({ event, thrown, located, scrub }: DraftText): readonly Section[] {
  if (thrown === null) return [];
  const above = aboveRepository(thrown, located);
  const listOf = (exceptions: readonly CrashException[]) =>
    exceptions
      .filter(({ type, value }) => type !== null || value !== null)
      .map((one) => causeText(one, above, scrub));
  const causes = listOf(event.exceptions.slice(0, thrown.index).reverse());
  const wrappers = listOf(event.exceptions.slice(thrown.index + 1));
  const parts = [
    ...listed(isGroup(thrown.exception) ? '**Exceptions in this group:**' : '**Caused by:**', causes),
    ...listed('**Reported as:**', wrappers),
  ];
  return parts.length === 0 ? [] : [{ name: 'the causes', expendable: 1, text: parts.join('\n\n') }];
}

function listed(heading: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const more = texts.length > MAX_CAUSES ? [`${texts.length - MAX_CAUSES} more not shown.`] : [];
  return [heading, texts.slice(0, MAX_CAUSES).join('\n'), ...more];
}

function causeText(exception: CrashException, above: string, scrub: TextScrubber): string {
  const error = [exception.type, exception.value].flatMap((part) => (part ? codeSpan(scrub(part)) : []));
  const places = lastFrames(exception, MAX_FRAMES).map((frame) => {
    const where = codeSpan(scrub(placeOf(frame, above)), 200);
    const name = frame.function;
    return name === null ? where : `${where} in ${codeSpan(shortFunction(scrub(name)), 120)}`;
  });
  return [`- ${error.join(': ')}`, ...places.map((place) => `  - at ${place}`)].join('\n');
}

const REPORTED_CHARS = 4_000;

/** A stack trace that was reported as text and could not be parsed, verbatim. */
export function reportedStack({ event, scrub }: DraftText): readonly Section[] {
  const { stack } = event.extra;
  if (typeof stack !== 'string' || stack.trim() === '') return [];
  if (event.exceptions.some(({ frames }) => frames.length > 0)) return [];
  const text = fence(clip(scrub(stack), REPORTED_CHARS), 'text');
  return [
    { name: 'the reported stack trace', expendable: 6, text: `### Stack trace as reported\n\n${text}` },
  ];
}
