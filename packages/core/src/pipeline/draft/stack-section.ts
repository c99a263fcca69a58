import type { Frame } from '../../domain/event.js';
import type { DraftSource, DraftText, Excerpt, Section } from './draft-source.js';
import { isOwn, placeOf, shortFunction } from './frame-place.js';
import { codeSpan, fence, link, permanentLink } from './safe-markdown.js';
import { clip } from './visible.js';

const MAX_FRAMES = 15;
/** Frames shown if none is known to be the project's own. */
const FOREIGN_FRAMES = 5;

export const EXCERPT = 'the source excerpt';

/** The project's own frames, crash first, each linked to its line at the crashed commit. */
export function stackSection(source: DraftText): readonly Section[] {
  const frames = source.thrown?.exception.frames ?? [];
  if (frames.length === 0) return [];
  const placed = new Map(source.located.map((located) => [located.frame, located]));
  const places = new Map(source.located.map((located) => [sameLine(frames[located.frame]), located]));
  const crashed = source.located[0]?.frame ?? null;
  const anyOwn = frames.some((frame, index) => placed.has(index) || isOwn(frame));
  const entries: { readonly text: string; times: number }[] = [];
  let others = 0;
  for (let index = frames.length - 1; index >= 0; index--) {
    const frame = frames[index];
    if (frame === undefined) continue;
    const located = placed.get(index) ?? places.get(sameLine(frame));
    if (located === undefined && !(anyOwn ? isOwn(frame) : entries.length < FOREIGN_FRAMES)) {
      others++;
      continue;
    }
    const text = frameText(frame, located, source) + (index === crashed ? ' **← crashed here**' : '');
    const last = entries.at(-1);
    if (last?.text === text) last.times++;
    else if (entries.length < MAX_FRAMES) entries.push({ text, times: 1 });
    else others++;
  }
  if (entries.length === 0) return [];
  const lines = entries.map(({ text, times }, index) => {
    const again = times === 1 ? '' : `, ${times} times in a row`;
    return `${index + 1}. ${text}${again}`;
  });
  const rest = others === 0 ? [] : [`${others} more ${others === 1 ? 'frame' : 'frames'} not shown.`];
  const foreign = anyOwn ? [] : ['No frame is marked as the project’s own. These are the last frames.'];
  const sections: Section[] = [
    {
      name: 'the stack trace',
      expendable: 3,
      text: ['### Stack trace', ...foreign, lines.join('\n'), ...rest].join('\n\n'),
    },
  ];
  if (source.excerpt) {
    sections.push({ name: EXCERPT, expendable: 7, text: excerptText(source.excerpt) });
  }
  return sections;
}

function frameText(
  frame: Frame,
  located: DraftSource['located'][number] | undefined,
  source: DraftText,
): string {
  const name =
    frame.function === null ? '' : ` in ${codeSpan(shortFunction(source.scrub(frame.function)), 120)}`;
  const doubt = located?.verified === false ? ' (the reported source line does not match)' : '';
  return `${whereOf(frame, located, source)}${name}${doubt}`;
}

function whereOf(
  frame: Frame,
  located: DraftSource['located'][number] | undefined,
  { links, revision, scrub }: DraftText,
): string {
  if (located && revision) {
    const { path, line } = located;
    const url = permanentLink(links.line, { sha: revision.sha, path, line });
    return link(codeSpan(`${path}:${line}`, 200), url);
  }
  return codeSpan(scrub(placeOf(frame)), 200);
}

/** The same for frames that report the same location: if one was located, so is the other. */
function sameLine(frame: Frame | undefined): string {
  return JSON.stringify([frame?.file, frame?.abs_path, frame?.line]);
}

function excerptText({ path, from, crashed, lines, from_map }: Excerpt): string {
  const width = String(from + lines.length - 1).length;
  const numbered = lines.map((text, index) => {
    const line = from + index;
    return `${line === crashed ? '>' : ' '} ${String(line).padStart(width)} | ${clip(text, 200)}`;
  });
  const origin = from_map ? 'in the uploaded source map' : 'at the crashed commit';
  return `${codeSpan(path, 200)} ${origin}:\n\n${fence(numbered.join('\n'), 'text')}`;
}
