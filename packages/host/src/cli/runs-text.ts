import type { Answer, RunPage } from '@culprit/client';
import type { HistoryEntry, PlacedStack, Run, RunStory } from '@culprit/core';
import type { Draft } from '@culprit/core/connector';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { clockDiffers } from '@culprit/core/internal/domain/crash-time';
import type { Frame } from '@culprit/core/internal/domain/event';
import { fixName, missingText } from '@culprit/core/internal/domain/fix';
import {
  OWNERS_PROBLEMS,
  OWNERS_UNREAD,
  type Ownership,
  ownedFiles,
  ruleName,
} from '@culprit/core/internal/domain/ownership';
import { commitsText, durationText, type RunRelease } from '@culprit/core/internal/domain/release';
import { linkBackText } from '@culprit/core/internal/domain/resolution';
import { snoozeText, wokenText } from '@culprit/core/internal/domain/snooze';
import { draftIsOutdated, sourcesOf, trustMix } from '@culprit/core/internal/domain/source';
import { furtherGaps, remedyOf, type Suspect } from '@culprit/core/internal/domain/suspect';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { likelihood, unratedTexts } from '@culprit/core/internal/domain/verdict';
import type { DraftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import { missingMapText } from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import { print, printError, styleFor } from '../log/terminal.js';
import { printChanges } from './difference-text.js';
import { draftFile } from './draft-file.js';
import { clipped, oneLine, tableText } from './print.js';
import { followUpWords, linkBackWords, resolutionLine } from './resolution-text.js';
import { comebackCodes, comebackLines } from './story-text.js';

/** `several`: more than one project is configured. */
export function printList({ runs, next, total, indexing }: RunPage, several: boolean): void {
  const style = styleFor(process.stdout);
  const note = (text: string) => print(style('dim', `${text}\n`));
  if (indexing)
    note('Runs of an older version are still being indexed; the search does not find all of them.');
  if (runs.length === 0) return void print('No runs.\n');
  const back = runs.some((run) => comebackCodes(run) !== '');
  const named = several || new Set(runs.map(({ project }) => project)).size > 1;
  const rows = runs.map((run) => [
    run.run_id,
    ...(named ? [run.project] : []),
    run.state,
    ...(back ? [comebackCodes(run)] : []),
    String(run.occurrences),
    usersText(run),
    run.last_seen.slice(0, 16).replace('T', ' '),
    clipped(run.title, 70),
  ]);
  const head = [
    'RUN',
    ...(named ? ['PROJECT'] : []),
    'STATE',
    ...(back ? ['BACK'] : []),
    'SEEN',
    'USERS',
    'LAST (UTC)',
    'TITLE',
  ];
  print(tableText([head, ...rows], (cell, row) => (row === 0 ? style('dim', cell) : cell)));
  if (next !== null) note(`${total ? `${total} runs match` : 'More runs exist'}. Use --limit or --search.`);
}

/** A dash: none of the crashes names a user, or an older version has not counted them. */
function usersText({ users }: Pick<Run, 'users'>): string {
  if (users === undefined || users.count === 0) return '–';
  return `${users.more ? 'over ' : ''}${users.count}`;
}

/** One run, or a part of it. */
export const printRun = { whole, draft, preview, history, difference };

/** `stack`: of its analysis; `null` if there is none. */
function whole(
  run: Run,
  story: RunStory | null,
  stack: Pick<PlacedStack, 'missing_source_maps' | 'outlook'> | null,
): void {
  const style = styleFor(process.stdout);
  const lines: (readonly [string, string])[] = [
    ['run', run.run_id],
    ['state', run.state],
    ['seen', `${run.occurrences} × from ${run.first_seen} to ${run.last_seen}`],
    ...(run.users && run.users.count > 0 ? [['users', usersText(run)] as const] : []),
    ['kind', `${run.platform}, ${run.level}`],
    ...trustLines(run),
    ...turnLines(run),
    ...comebackLines(run, story),
  ];
  if (run.releases.length > 0)
    lines.push(['release', run.releases.map((name) => clipped(name, 60)).join(', ')]);
  if (run.release_window?.deploy) lines.push(['deployed', deployText(run.release_window)]);
  for (const missing of stack?.missing_source_maps ?? [])
    lines.push(['source map', clipped(missingMapText(missing), 200)], ['upload', missing.command]);
  if (run.merged_into) lines.push(['merged into', run.merged_into]);
  for (const { run_id, occurrences, into } of run.members ?? [])
    if (into !== null) lines.push(['merged', `${run_id}, ${occurrences} of the crashes`]);
  if (run.last_error !== null && run.state !== 'staged_raw')
    lines.push(['error', clipped(run.last_error.detail, 200)]);
  const none = run.no_suspect ?? stack?.outlook?.no_suspect ?? null;
  lines.push(...noSuspectLines(none));
  for (const suspect of run.suspects.slice(0, 3)) lines.push(...suspectLines(suspect));
  for (const why of unratedTexts(run.suspects)) lines.push(['unrated', `no probability: ${why}`]);
  for (const { detail, command } of furtherGaps(run.revision?.gaps ?? stack?.outlook?.gaps, none))
    lines.push(['not there', clipped(command === null ? detail : `${detail} ${command}`, 300)]);
  lines.push(...ownerLines(run.ownership));
  if (run.draft !== null) lines.push(['digest', run.draft.digest]);
  if (run.draft?.reopens && run.publication === null)
    lines.push([
      run.draft.reopens.only_comment ? 'comments' : 'reopens',
      `${run.draft.reopens.only_comment ? 'on ' : ''}issue ${run.draft.reopens.number}, with this draft as a comment`,
    ]);
  if (run.draft?.edited_by) lines.push(['edited by', clipped(run.draft.edited_by, 60)]);
  if (run.publication !== null)
    lines.push(['issue', run.publication.comment_url ?? run.publication.issue_url]);
  if (run.link_back) lines.push(['links', linkBackWords(run.link_back)]);
  if (run.resolution || run.follow_up?.state === 'failed')
    lines.push(['over', resolutionLine(run) || `no${followUpWords(run)}`]);
  if (run.fix) {
    const missing = missingText(run.fix);
    lines.push(['fixed by', fixName(run.fix)]);
    if (missing !== null) lines.push(['not fixed', clipped(missing, 300)]);
  }
  print(`${style('bold', clipped(run.title, 120))}\n\n`);
  for (const [name, text] of lines) print(`  ${style('dim', name.padEnd(11))}  ${oneLine(text)}\n`);
  print(run.draft === null ? stackText(run) : `\n${run.draft.body}\n`);
}

/** Why there is no suspect, or why there will be none, and what mends it. */
function noSuspectLines(none: Run['no_suspect']): readonly (readonly [string, string])[] {
  if (none === null) return [];
  const { text, command } = remedyOf(none.code);
  return [
    ['no suspect', clipped(none.detail, 300)],
    ['to mend', command === undefined ? text : `${text} ${command}`],
  ];
}

function suspectLines(suspect: Suspect): readonly (readonly [string, string])[] {
  const { sha, title, probability, reasons } = suspect;
  const moved = reasons.flatMap((one) => (one.code === 'moved_from' ? one : []));
  return [
    [
      'suspect',
      [sha.slice(0, 7), ...(probability === null ? [] : [likelihood(suspect)]), clipped(title, 70)].join(' '),
    ],
    ...moved.map(
      ({ from, to, by }) =>
        [
          'moved',
          clipped(`${to} was moved from ${from}${by === null ? '' : ` in ${by.slice(0, 7)}`}`, 300),
        ] as const,
    ),
  ];
}

/** `shop@2.4.1 to production, 4 minutes before the first crash; it brought 12 commits` */
function deployText({ version, commits, more_commits, deploy }: RunRelease): string {
  const brought = commits === null ? '' : `; it brought ${commitsText(commits, more_commits)}`;
  const place = `${clipped(version, 60)} to ${clipped(deploy?.environment ?? '', 40)}`;
  return `${place}, ${durationText(deploy?.after_ms ?? 0)} before the first crash${brought}`;
}

/** Who owns the crashed file and the suspects' files, and what of the code owners file is ignored. */
export function ownerLines(ownership: Ownership | null | undefined): readonly (readonly [string, string])[] {
  if (!ownership) return [];
  const { file, problems, unread } = ownership;
  const lines: (readonly [string, string])[] = ownedFiles(ownership).flatMap(({ path, rules }) =>
    rules.map((rule) => {
      const names = rule.owners.map(({ name }) => name).join(', ');
      const owned = names === '' ? 'has no owner' : `is owned by ${names}`;
      return ['owner', clipped(`${path} ${owned} (${ruleName(ownership, rule)})`, 300)] as const;
    }),
  );
  if (unread !== null) lines.push(['owners', `${file} is not used: ${OWNERS_UNREAD[unread]}`]);
  for (const { line, code } of problems.slice(0, 3))
    lines.push(['owners', `${file} line ${line} is ignored: ${OWNERS_PROBLEMS[code]}`]);
  return lines;
}

const SHOWN_FRAMES = 25;

/** The exceptions as reported, outermost first, each with the frame that threw first; empty without any. */
function stackText({ event }: Run): string {
  const style = styleFor(process.stdout);
  const lines = [...event.exceptions].reverse().flatMap(({ type, value, frames }, index) => {
    const head = [type, value].flatMap((part) => (part ? clipped(part, 200) : [])).join(': ');
    const shown = frames.slice(-SHOWN_FRAMES).reverse();
    const rest = frames.length - shown.length;
    return [
      '',
      `${index === 0 ? '' : 'caused by '}${style('bold', head || 'unnamed error')}`,
      ...shown.map((frame) => (frame.in_app === false ? style('dim', frameText(frame)) : frameText(frame))),
      ...(rest === 0 ? [] : [style('dim', `    ${rest} more ${rest === 1 ? 'frame' : 'frames'}`)]),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function frameText({ function: name, file, module, package: binary, line, column }: Frame): string {
  const place = [file ?? module ?? binary ?? 'unknown', line, column]
    .filter((part) => part !== null)
    .join(':');
  return clipped(`    at ${name === null ? place : `${name} (${place})`}`, 200);
}

/** How the crashes were received, which one is shown, and whether anyone could have sent some of them. */
function trustLines(run: Run): (readonly [string, string])[] {
  const { event } = run;
  const ways = sourcesOf(run).map(({ door, trust, occurrences }) => {
    const count = occurrences === 0 ? '' : ` × ${occurrences}`;
    return `${door}${count}${trust === 'untrusted' ? ' (public key)' : ''}`;
  });
  const lines: (readonly [string, string])[] = [['doors', ways.join(', ')]];
  const { kind, untrusted } = trustMix(run);
  if (kind === 'untrusted')
    lines.push(['warning', 'every crash came with a public key, so anyone could have sent it']);
  if (kind === 'mixed') {
    const some = untrusted === 0 ? 'some crashes' : `${untrusted} of ${run.occurrences} crashes`;
    lines.push(['warning', `${some} came with a public key, so anyone could have sent them`]);
    lines.push(['shown', `the latest ${trustOf(event)} crash, ${event.event_id} through ${event.door}`]);
  }
  if (draftIsOutdated(run))
    lines.push(['draft', 'about an untrusted crash; a trusted one has come since: return the run to Gate 1']);
  if (clockDiffers(event))
    lines.push(['clock', `${event.timestamp} by the sender, received ${event.received_at}`]);
  return lines;
}

function turnLines(run: Run): (readonly [string, string])[] {
  const { state, snooze, woken, comments = 0 } = run;
  const claim = claimOf(run, Date.now());
  return [
    ...(state === 'snoozed' && snooze
      ? [['snoozed', `${snoozeText(snooze)} by ${clipped(snooze.by, 60)}`] as const]
      : []),
    ...(woken ? [['back', clipped(wokenText(woken), 200)] as const] : []),
    ...(claim === null ? [] : [['claimed', `by ${clipped(claim.by, 60)} until ${claim.until}`] as const]),
    ...(comments === 0 ? [] : [['comments', `${comments}, shown by --history`] as const]),
  ];
}

/** As the file that `culprit runs edit RUN --file FILE` takes. */
function draft(shown: Draft): void {
  print(draftFile(shown));
}

/** What would be published, on standard output; what the code host would change, on standard error. */
function preview({ title, body, reopens, link_back, divergence }: Answer<'previewDraft', 200>): void {
  if (reopens === undefined) print(`${oneLine(title)}\n\n`);
  else
    printError(
      `A comment ${reopens.only_comment ? 'on' : 'that reopens'} issue ${reopens.number}: ${clipped(reopens.url, 200)}\n`,
    );
  print(`${body}\n`);
  if (link_back)
    printError(`Then ${clipped(linkBackText({ issue: link_back }), 300)}: ${clipped(link_back.url, 200)}\n`);
  for (const change of divergence) printError(`The code host would change it: ${oneLine(change)}\n`);
}

function history(entries: readonly HistoryEntry[]): void {
  const rows = entries.map(({ at, name, by, to, digest, ms, error, detail }) => [
    at.slice(0, 19).replace('T', ' '),
    name,
    clipped(by ?? '', 30),
    to ?? '',
    digest?.slice(0, 12) ?? '',
    ms === null ? '' : `${ms} ms`,
    error === null ? saidIn(detail) : clipped(error.detail, 80),
  ]);
  print(tableText(rows));
}

/** A reviewer's comment or reason. */
function saidIn({ comment, reason }: HistoryEntry['detail']): string {
  const said = comment ?? reason;
  return typeof said === 'string' ? clipped(oneLine(said), 80) : '';
}

function difference(found: DraftDifference): void {
  if (found.same) return void print('The draft is unchanged.\n');
  print(
    `machine  ${found.machine.digest}\ncurrent  ${found.current.digest} by ${oneLine(found.current.edited_by ?? '')}\n\n`,
  );
  printChanges(found);
}
