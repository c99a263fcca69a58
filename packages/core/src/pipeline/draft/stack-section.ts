import type { Frame } from '../../domain/event.js';
import { cleanPath, isLibraryPath } from '../locate/clean-path.js';
import type { DraftSource, DraftText, Excerpt, Section } from './draft-source.js';
import { codeSpan, fence, link, permanentLink } from './safe-markdown.js';
import { shortFunction } from './short-function.js';
import { clip } from './visible.js';

const MOST_FRAMES = 15;
/** Frames shown of a stack in which nothing is known to be the project's own. */
const FOREIGN_FRAMES = 5;

/** The project's own frames, crash first, each linked to its line at the crashed commit. */
export function stackSection(source: DraftText): readonly Section[] {
  const frames = source.thrown?.exception.frames ?? [];
  if (frames.length === 0) return [];
  const placed = new Map(source.located.map((located) => [located.frame, located]));
  const places = new Map(source.located.map((located) => [placeOf(frames[located.frame]), located]));
  const crashed = source.located[0]?.frame ?? null;
  const lines: string[] = [];
  const anyOwn = frames.some((frame, index) => placed.has(index) || isOwn(frame));
  let others = 0;
  for (let index = frames.length - 1; index >= 0; index--) {
    const frame = frames[index];
    if (frame === undefined) continue;
    const located = placed.get(index) ?? places.get(placeOf(frame));
    const wanted = anyOwn ? isOwn(frame) : lines.length < FOREIGN_FRAMES;
    if (located === undefined && !wanted) {
      others++;
      continue;
    }
    if (lines.length === MOST_FRAMES) {
      others++;
      continue;
    }
    const name =
      frame.function === null ? '' : ` in ${codeSpan(shortFunction(source.outgoing(frame.function)), 120)}`;
    const doubt = located?.verified === false ? ' (the reported source line does not stand there)' : '';
    const mark = index === crashed ? ' **← crashed here**' : '';
    lines.push(`${lines.length + 1}. ${whereOf(frame, located, source)}${name}${mark}${doubt}`);
  }
  if (lines.length === 0) return [];
  const rest = others === 0 ? [] : [`${others} more ${others === 1 ? 'frame' : 'frames'} not shown.`];
  const foreign = anyOwn ? [] : ['No frame is known to be the project’s own; these are the last.'];
  const sections: Section[] = [
    {
      name: 'the stack',
      expendable: 3,
      text: ['### Stack', ...foreign, lines.join('\n'), ...rest].join('\n\n'),
    },
  ];
  if (source.excerpt) {
    sections.push({ name: 'the source excerpt', expendable: 7, text: excerptText(source.excerpt) });
  }
  return sections;
}

function isOwn(frame: Frame): boolean {
  return frame.in_app ?? !isLibraryPath(frame.abs_path ?? frame.file ?? 'node_modules/');
}

function whereOf(
  frame: Frame,
  located: DraftSource['located'][number] | undefined,
  { links, revision, outgoing }: DraftText,
): string {
  if (located && revision) {
    const { path, line } = located;
    const url = permanentLink(links.line, { sha: revision.sha, path, line });
    return link(codeSpan(`${path}:${line}`, 200), url);
  }
  const file = frame.file ?? frame.abs_path ?? frame.module ?? frame.package;
  const name = file === null ? 'unknown' : (cleanPath(file) ?? file);
  return codeSpan(outgoing(frame.line === null ? name : `${name}:${frame.line}`), 200);
}

function placeOf(frame: Frame | undefined): string {
  return JSON.stringify([frame?.file, frame?.abs_path, frame?.line]);
}

function excerptText({ path, from, crashed, lines }: Excerpt): string {
  const width = String(from + lines.length - 1).length;
  const numbered = lines.map((text, index) => {
    const line = from + index;
    return `${line === crashed ? '>' : ' '} ${String(line).padStart(width)} | ${clip(text, 200)}`;
  });
  return `${codeSpan(path, 200)} at the crashed commit:\n\n${fence(numbered.join('\n'), 'text')}`;
}
