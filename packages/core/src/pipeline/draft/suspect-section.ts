import type { Hunk, Suspect } from '../../domain/suspect.js';
import { commitLink, percent } from './blame-section.js';
import type { DraftSource, Section } from './draft-source.js';
import { codeSpan, fence } from './safe-markdown.js';
import { clip } from './visible.js';

const VERDICT_PHRASES = {
  auto: '**Very likely cause**',
  likely: '**Likely cause**',
  recent: '**No commit stands out.** Top candidate',
} as const;
/** The second suspect's diff is shown from this probability. */
const SECOND_SHOWN = 0.2;

/** The first suspect in one line, with the part of its diff nearest to the crash. */
export function suspectSection(source: DraftSource): readonly Section[] {
  const [first, second] = source.suspects;
  if (first === undefined) return [];
  const verdict = `${VERDICT_PHRASES[first.verdict]} (${percent(first.probability)})`;
  const sections: Section[] = [
    {
      name: 'the suspect',
      expendable: 0,
      text: `### Suspect change\n\n${verdict}: ${changeOf(first, source)}`,
    },
  ];
  if (first.hunk) sections.push({ name: 'the suspect diff', expendable: 2, text: hunkDiff(first.hunk) });
  if (second?.hunk && second.probability >= SECOND_SHOWN && isInformative(second.hunk)) {
    const head = `**Next candidate** (${percent(second.probability)}): ${changeOf(second, source)}`;
    sections.push({ name: 'the second diff', expendable: 9, text: `${head}\n\n${hunkDiff(second.hunk)}` });
  }
  return sections;
}

function changeOf(suspect: Suspect, source: DraftSource): string {
  const commit = `${commitLink(suspect, source)} ${codeSpan(suspect.title, 120)}`;
  return suspect.hunk === null ? `${commit}.` : `${commit}, in ${codeSpan(suspect.hunk.path, 200)}:`;
}

/** False for a newly added file without the crashed line: its diff shows no change. */
function isInformative({ lines }: Hunk): boolean {
  return lines.some(({ kind, crashed }) => crashed || kind === 'removed');
}

/** The hunk as a fenced diff. */
export function hunkDiff(hunk: Hunk): string {
  return fence(diffText(hunk), 'diff');
}

/** The crashed line is marked at its end, because a mark at its start would break the diff's colours. */
function diffText({ header, lines }: Hunk): string {
  const signs = { added: '+', removed: '-', context: ' ' } as const;
  const body = lines.map(({ kind, text, crashed }) => {
    const line = `${signs[kind]}${clip(text.replace(/[\r\n]/g, ' '), 240)}`;
    return crashed ? `${line}   ◀ crashed line` : line;
  });
  return [header.replace(/[\r\n]/g, ' '), ...body].join('\n');
}
