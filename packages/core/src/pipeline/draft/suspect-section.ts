import { FINDING_CHECKS } from '../../domain/investigation.js';
import {
  furtherGaps,
  type Hunk,
  MECHANISM_CODES,
  NO_SUSPECT,
  remedyOf,
  type Suspect,
} from '../../domain/suspect.js';
import { likelihood, mightStandOut, standingOf, unratedText } from '../../domain/verdict.js';
import { commitLink } from './blame-section.js';
import type { DraftSource, Section } from './draft-source.js';
import { codeSpan, fence } from './safe-markdown.js';
import { clip } from './visible.js';

const VERDICT_PHRASES = {
  auto: '**Very likely cause**',
  likely: '**Likely cause**',
  recent: '**No commit stands out.** Top candidate',
} as const;
/** It might stand out; that is not known. */
const UNRATED_PHRASE = '**Possible cause**';

/** The first suspect in one line, with the part of its diff nearest to the crash; or why there is none. */
export function suspectSection(source: DraftSource): readonly Section[] {
  const [first, second] = source.suspects;
  if (first === undefined)
    return [{ name: 'the suspect', expendable: 0, text: withGaps(noSuspect(source), source) }];
  const { unrated } = first;
  const certainty =
    unrated === undefined
      ? `${likelihood(first)}${unmeasured(first)}`
      : `no probability: ${unratedText(unrated)}`;
  const phrase =
    first.verdict === 'recent' && mightStandOut(first) ? UNRATED_PHRASE : VERDICT_PHRASES[first.verdict];
  const verdict = `${phrase} (${certainty})`;
  const text = withGaps(`${verdict}: ${changeOf(first, source)}`, source);
  const sections: Section[] = [{ name: 'the suspect', expendable: 0, text: `### Suspect change\n\n${text}` }];
  if (first.hunk) sections.push({ name: 'the suspect diff', expendable: 2, text: hunkDiff(first.hunk) });
  sections.push(...investigationSection(source));
  if (second?.hunk && isRival(second) && isInformative(second.hunk)) {
    const share = second.probability === null ? '' : ` (${likelihood(second)})`;
    const head = `**Next candidate**${share}: ${changeOf(second, source)}`;
    sections.push({ name: 'the second diff', expendable: 9, text: `${head}\n\n${hunkDiff(second.hunk)}` });
  }
  return sections;
}

/** Who says how likely it is. */
function unmeasured({ found_by }: Suspect): string {
  return found_by === undefined || found_by.measured ? '' : ', not measured with this investigator';
}

/** How an investigation found the suspect: what is checked, and what is only its own statement. */
function investigationSection({ investigated, suspects: [first] }: DraftSource): readonly Section[] {
  if (!investigated || first?.found_by === undefined) return [];
  const { by, finding, checks, questions } = investigated;
  const asked = questions === 1 ? 'one question' : `${questions} questions`;
  const { mechanism, place, quote } = finding;
  const name = codeSpan(by.name, 80);
  const who = by.kind === 'model' ? `The model ${name}` : `The agent ${name}`;
  const quoted = `: ${codeSpan(quote, 200)}`;
  const passed = checks.flatMap(({ code, ok }) =>
    ok ? `- ${FINDING_CHECKS[code]}${code === 'quote_in_diff' ? quoted : ''}.` : [],
  );
  const said = (MECHANISM_CODES as readonly string[]).includes(mechanism)
    ? mechanism.replaceAll('_', ' ')
    : mechanism;
  const parts = [
    `${who} named this commit after ${asked} to the repository. It states where the wrong value or state is made, ${codeSpan(`${place.path}:${place.line}`, 200)}, and what the commit did: ${codeSpan(said, 240)}. Whether that is right was not checked.`,
    `Checked by Culprit, without the ${by.kind}:\n\n${passed.join('\n')}`,
  ];
  return [{ name: 'the investigation', expendable: 3, text: parts.join('\n\n') }];
}

/** Whether the second suspect's diff is shown. */
function isRival(second: Suspect): boolean {
  const standing = standingOf(second);
  return standing === 'clear' || standing === 'rival';
}

/** Why there is none, in one line, and what to do about it. */
function noSuspect({ no_suspect }: DraftSource): string {
  const code = no_suspect?.code ?? 'no_candidates';
  const { text, command } = remedyOf(code);
  const fix = command === undefined ? text : `${text} ${codeSpan(command)}`;
  const reason = `**No suspect.** ${NO_SUSPECT[code]}`;
  if (no_suspect?.end) {
    const { sha, committed_at } = no_suspect.end;
    return `${reason} It is ${codeSpan(sha.slice(0, 12))} of ${committed_at.slice(0, 10)}. ${fix}`;
  }
  const detail = no_suspect?.detail && no_suspect.detail !== NO_SUSPECT[code] ? [no_suspect.detail] : [];
  return [`${reason} ${fix}`, ...detail.map((one) => codeSpan(one, 400))].join('\n\n');
}

/** With what the repository does not show. */
function withGaps(text: string, { revision, no_suspect }: DraftSource): string {
  const notes = furtherGaps(revision?.gaps, no_suspect).map(({ code, detail, command }) => {
    const fix = command === null ? '' : ` To get it: ${codeSpan(command)}`;
    return `- ${OUTSIDE.has(code) ? codeSpan(detail, 300) : detail}${fix}`;
  });
  return notes.length === 0
    ? text
    : `${text}\n\n**What the repository does not show:**\n\n${notes.join('\n')}`;
}

/** Gaps whose text has names from outside. */
const OUTSIDE: ReadonlySet<string> = new Set(['submodule', 'revision_missing']);

function changeOf(suspect: Suspect, source: DraftSource): string {
  const commit = `${commitLink(suspect, source)} ${codeSpan(suspect.title, 120)}`;
  return suspect.hunk === null
    ? `${commit}.`
    : `${commit}, in ${codeSpan(suspect.hunk.path, 200)}${moved(suspect)}:`;
}

/** The renames since, so that the path above and the crashed one are understood as one file. */
function moved({ reasons }: Suspect): string {
  return [...reasons]
    .reverse()
    .flatMap((one) => {
      if (one.code !== 'moved_from') return [];
      const by = one.by === null ? '' : ` in ${codeSpan(one.by.slice(0, 7))}`;
      return [`, moved to ${codeSpan(one.to, 200)}${by}`];
    })
    .join('');
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
