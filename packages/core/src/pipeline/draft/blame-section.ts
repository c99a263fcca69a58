import { type Hunk, NO_SUSPECT, type Suspect } from '../../domain/suspect.js';
import type { DraftSource, Section } from './draft-source.js';
import { codeSpan, fence, link, permanentLink, safeUrl, tableCell } from './safe-markdown.js';
import { clip } from './visible.js';
import { utc } from './what-happened.js';

const VERDICT_WORDS = {
  auto: 'The first commit very likely caused this crash.',
  likely: 'The first commit likely caused this crash.',
  recent: 'No commit stands out. These recently changed code in the trace.',
} as const;
const REASON_COUNT = 4;
/** Hunks shown: of the first suspect, and of a second that comes near to it. */
const NEAR_SECOND = 0.2;
/** Suspects below this are noise: the run keeps them, the table does not show them. */
const LEAST_SHOWN = 0.01;

export function blameSection(source: DraftSource): readonly Section[] {
  const [first, second] = source.suspects;
  if (first === undefined) return [{ name: 'blame', expendable: 0, text: noSuspect(source) }];
  const sections: Section[] = [{ name: 'blame', expendable: 1, text: table(source, first) }];
  if (first.hunk)
    sections.push({ name: 'the suspect diff', expendable: 2, text: hunk(first, source, 'Suspect change') });
  if (second?.hunk && second.probability >= NEAR_SECOND) {
    sections.push({
      name: 'the second diff',
      expendable: 9,
      text: hunk(second, source, 'Second suspect’s change'),
    });
  }
  return sections;
}

function noSuspect({ no_suspect }: DraftSource): string {
  const code = no_suspect?.code ?? 'no_candidates';
  const detail = no_suspect?.detail && no_suspect.detail !== NO_SUSPECT[code] ? no_suspect.detail : null;
  const why = detail === null ? '' : `\n\n${codeSpan(detail)}`;
  return `### Blame\n\nNo suspect. ${NO_SUSPECT[code]}${why}`;
}

function table(source: DraftSource, first: Suspect): string {
  const shown = source.suspects.filter((suspect, index) => index === 0 || suspect.probability >= LEAST_SHOWN);
  const rows = shown.map((suspect, index) => {
    const reasons = suspect.reasons.slice(0, REASON_COUNT).join('; ');
    const cells = [
      String(index + 1),
      `${commitLink(suspect, source)} ${codeSpan(suspect.title, 120)}${pullRequest(suspect)}`,
      codeSpan(suspect.author.name, 60),
      day(suspect.committed_at),
      percent(suspect.probability),
      reasons,
    ];
    return `| ${cells.map(tableCell).join(' | ')} |`;
  });
  return [
    '### Blame',
    `${VERDICT_WORDS[first.verdict]} A suspect is a change, not a person.`,
    ['| # | Commit | Author | Committed | Likelihood | Why |', '|---|---|---|---|---|---|', ...rows].join(
      '\n',
    ),
  ].join('\n\n');
}

/** The day of a time; what is none stays the code span that it is. */
function day(iso: string): string {
  const time = utc(iso);
  return time.startsWith('`') ? time : time.slice(0, 10);
}

function percent(share: number): string {
  return share < LEAST_SHOWN ? 'under 1 %' : `${Math.round(share * 100)} %`;
}

function hunk(suspect: Suspect, source: DraftSource, heading: string): string {
  if (suspect.hunk === null) return '';
  const head = `${commitLink(suspect, source)} in ${codeSpan(suspect.hunk.path, 200)}:`;
  return `#### ${heading}\n\n${head}\n\n${fence(diffText(suspect.hunk), 'diff')}`;
}

/** The crashed line carries its mark at its end, so that the diff's colours stay. */
function diffText({ header, lines }: Hunk): string {
  const signs = { added: '+', removed: '-', context: ' ' } as const;
  const body = lines.map(({ kind, text, crashed }) => {
    const line = `${signs[kind]}${clip(text.replace(/[\r\n]/g, ' '), 240)}`;
    return crashed ? `${line}   ◀ the line that crashed` : line;
  });
  return [header.replace(/[\r\n]/g, ' '), ...body].join('\n');
}

function commitLink({ sha, url }: Suspect, { links }: DraftSource): string {
  return link(codeSpan(sha.slice(0, 7)), permanentLink(links.commit, { sha }) ?? safeUrl(url));
}

function pullRequest({ pull_request }: Suspect): string {
  if (pull_request === null) return '';
  return ` (${link(`pull request ${Math.trunc(pull_request.number)}`, safeUrl(pull_request.url))})`;
}
