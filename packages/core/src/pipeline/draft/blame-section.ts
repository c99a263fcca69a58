import type { Suspect } from '../../domain/suspect.js';
import { likelihood, standingOf } from '../../domain/verdict.js';
import type { DraftSource, DraftText, Section } from './draft-source.js';
import { codeSpan, link, numberedLink, permanentLink, safeUrl, tableCell } from './safe-markdown.js';
import { utc } from './what-happened.js';

/** The issue may still name a possible cause. */
export const NO_VERDICT_LABEL = 'suspect:none';
const REASON_COUNT = 4;

/** The suspects with their reasons; nothing without any. */
export function blameSection(source: DraftText): readonly Section[] {
  return source.suspects.length === 0 ? [] : [{ name: 'blame', expendable: 1, text: table(source) }];
}

/**
 * Remote suspects are left out. The run still has them. At most three columns, because an issue page is narrow and the reasons
 * are long.
 */
function table(source: DraftText): string {
  const shown = source.suspects.filter((suspect, index) => index === 0 || standingOf(suspect) !== 'remote');
  const anyRated = shown.some(({ probability }) => probability !== null);
  const rows = shown.map((suspect) => {
    const change = `${commitLink(suspect, source)} ${codeSpan(suspect.title, 120)}${pullRequest(suspect, source)}`;
    const cells = [
      ...(anyRated ? [likelihood(suspect)] : []),
      `${change}, ${codeSpan(suspect.author.name, 60)}, ${day(suspect.committed_at)}`,
      suspect.reasons
        .slice(0, REASON_COUNT)
        .map(({ text }) => text)
        .join('; '),
    ];
    return `| ${cells.map(tableCell).join(' | ')} |`;
  });
  const head = anyRated
    ? ['| Likelihood | Change | Why |', '|--:|---|---|']
    : ['| Change | Why |', '|---|---|'];
  return ['### Blame', note(source), [...head, ...rows].join('\n')].join('\n\n');
}

/** Says what the label means, which readers take for "no suspect". */
function note({ labels }: DraftText): string {
  return labels.includes(NO_VERDICT_LABEL)
    ? `A suspect is a change, not a person. The label ${codeSpan(NO_VERDICT_LABEL)} means that no suspect is rated likely.`
    : 'A suspect is a change, not a person.';
}

/** The date part of a time. An invalid time stays a code span. */
function day(iso: string): string {
  const time = utc(iso);
  return time.startsWith('`') ? time : time.slice(0, 10);
}

/** The abbreviated SHA, linked to the commit's page if it has one. */
export function commitLink({ sha, url }: Suspect, { links }: DraftSource): string {
  return link(codeSpan(sha.slice(0, 7)), permanentLink(links.commit, { sha }) ?? safeUrl(url));
}

/** Linked only where the code host writes no reference to the issue into the pull request: a suspect may be innocent. */
function pullRequest({ pull_request }: Suspect, { links }: DraftSource): string {
  if (pull_request === null) return '';
  const { number, url } = pull_request;
  const address = links.pull_request === undefined ? safeUrl(url) : numberedLink(links.pull_request, number);
  return ` (${link(`pull request ${Math.trunc(number)}`, address)})`;
}
