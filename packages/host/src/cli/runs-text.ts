import type { Answer, RunPage } from '@culprit/client';
import type {
  HistoryEntry,
  OccurrenceEntry,
  PlacedStack,
  Run,
  RunStatistics,
  RunStory,
  RunSummary,
} from '@culprit/core';
import type { Draft, Explanation } from '@culprit/core/connector';
import { claimOf } from '@culprit/core/internal/domain/claim';
import { COMEBACK_WORDS, type Comeback, comebacksOf } from '@culprit/core/internal/domain/comeback';
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
import {
  effectText,
  type LinkBack,
  linkBackText,
  resolutionText,
} from '@culprit/core/internal/domain/resolution';
import { snoozeText, wokenText } from '@culprit/core/internal/domain/snooze';
import { draftIsOutdated, sourcesOf, trustMix } from '@culprit/core/internal/domain/source';
import { chapterText, storyText } from '@culprit/core/internal/domain/story';
import { furtherGaps, remedyOf, type Suspect } from '@culprit/core/internal/domain/suspect';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { likelihood, unratedTexts } from '@culprit/core/internal/domain/verdict';
import type { DraftDifference } from '@culprit/core/internal/pipeline/draft-difference';
import { missingMapText } from '@culprit/core/internal/pipeline/source-maps/missing-maps';
import { print, printError, styleFor } from '../log/terminal.js';
import { draftFile } from './draft-file.js';
import { clipped, listText, minuteText, oneLine, plural, tableText } from './print.js';

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
    minuteText(run.last_seen),
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
  print(listText(head, rows));
  if (next !== null) note(`${total ? `${total} runs match` : 'More runs exist'}. Use --limit or --search.`);
}

/** A dash: none of the crashes names a user, or an older version has not counted them. */
function usersText({ users }: Pick<Run, 'users'>): string {
  if (users === undefined || users.count === 0) return '–';
  return `${users.more ? 'over ' : ''}${users.count}`;
}

/** One run, or a part of it. */
export const printRun = {
  whole,
  /** As the file that `culprit runs edit RUN --file FILE` takes. */
  draft: (shown: Draft) => void print(draftFile(shown)),
  preview,
  history,
  difference,
};

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
  if (run.explanation) lines.push(['explained', explainedText(run.explanation)]);
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

/** Who explains the crash in the draft, and in how many claims. */
function explainedText({ source, model, claims }: Explanation): string {
  const by = source === 'template' ? 'fixed rules' : `the model ${clipped(model ?? 'unknown', 80)}`;
  return `by ${by}, in ${plural(claims.length, 'claim')}`;
}

/** Why there is no suspect, or why there will be none, and what mends it. */
function noSuspectLines(none: Run['no_suspect']): readonly (readonly [string, string])[] {
  if (none === null) return [];
  const { text, command } = remedyOf(none.code);
  return [
    ['no suspect', clipped(none.detail, 300)],
    ['to fix', command === undefined ? text : `${text} ${command}`],
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
      ...(rest === 0 ? [] : [style('dim', `    ${plural(rest, 'more frame')}`)]),
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
    lines.push([
      'draft',
      'about an untrusted crash, but a trusted crash has been received since: return the run to Gate 1',
    ]);
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

function history({ entries }: { readonly entries: readonly HistoryEntry[] }): void {
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

type Line = readonly [name: string, text: string];

/** Why the run is back, and what became of it. Without a story, a regression names only the earlier run. */
function comebackLines(run: Run, story: RunStory | null): readonly Line[] {
  const back = comebacksOf(run).map((one): Line => ['back', clipped(textOf(one, run, story), 300)]);
  const at = story?.chapters.findIndex(({ run_id }) => run_id === run.run_id) ?? -1;
  const next = run.merged_into ? undefined : story?.chapters[at + 1];
  if (next === undefined) return back;
  const release = next.release === null ? '' : `in ${next.release} `;
  const issue = next.issue === null ? '' : `, ${chapterText(next)}`;
  return [...back, ['came back', clipped(`${release}as ${next.run_id}${issue}`, 300)]];
}

/** `regression, returned`, for a list. */
function comebackCodes(run: RunSummary): string {
  return comebacksOf(run)
    .map(({ code }) => (code === 'returned' ? code : COMEBACK_WORDS[code]))
    .join(', ');
}

function textOf(comeback: Comeback, { run_id }: Run, story: RunStory | null): string {
  const words = COMEBACK_WORDS[comeback.code];
  switch (comeback.code) {
    case 'regression':
      return `${words}: ${(story && storyText(story, run_id)) ?? `of ${comeback.run_id}`}`;
    case 'analysis_failed':
      return `${words}: ${comeback.error.detail}`;
    case 'returned':
      return `${words}: ${comeback.by}, “${comeback.reason}”`;
  }
}

/** One line for each run of the story, oldest first. */
export function printStory({ chapters, whole }: RunStory, runId: string): void {
  const style = styleFor(process.stdout);
  const rows = chapters.map((chapter) => [
    chapter.run_id === runId ? '*' : ' ',
    chapter.run_id,
    chapter.state,
    minuteText(chapter.first_seen),
    clipped(chapter.release ?? '', 30),
    clipped(chapterText(chapter) ?? (chapter.merged_into ? `merged into ${chapter.merged_into}` : ''), 120),
    chapter.issue?.url ?? '',
  ]);
  const head = [' ', 'RUN', 'STATE', 'FIRST SEEN (UTC)', 'RELEASE', 'WHAT HAPPENED', 'ISSUE'];
  print(listText(head, rows));
  if (!whole) print(style('dim', 'Further runs of this crash are no longer stored.\n'));
}

/** Tags shown above the list, and values of each. */
const TAGS = 8;
const VALUES = 3;

interface Page {
  readonly occurrences: readonly OccurrenceEntry[];
  readonly next: string | null;
}

/** The tags of a run with their most frequent values, then a page of its occurrences. */
export function printOccurrences(
  { occurrences, next }: Page,
  statistics: RunStatistics,
  total: number,
): void {
  const style = styleFor(process.stdout);
  const { users, tags } = statistics;
  const counted = statistics.occurrences === total ? '' : ` (${statistics.occurrences} with details)`;
  const affected = users.count === 0 ? '' : `, ${users.more ? 'over ' : ''}${plural(users.count, 'user')}`;
  print(`${plural(total, 'crash', 'crashes')}${counted}${affected}\n\n`);
  for (const tag of tags.slice(0, TAGS)) {
    const shares = tag.values.slice(0, VALUES).map(({ value, occurrences: times }) => {
      return `${clipped(value, 40)} ${Math.round((100 * times) / tag.occurrences)} %`;
    });
    print(`  ${style('dim', clipped(tag.name, 20).padEnd(20))}  ${shares.join(', ')}\n`);
  }
  if (occurrences.length === 0) return void print('No occurrences are stored.\n');
  const rows = occurrences.map(({ number, received_at, release, environment, door, trust, user, stored }) => [
    String(number),
    received_at.slice(0, 19).replace('T', ' '),
    clipped(release ?? '', 30),
    clipped(environment ?? '', 20),
    trust === 'untrusted' ? `${door} (public key)` : door,
    clipped(user ?? '', 30),
    stored ? 'yes' : '',
  ]);
  const head = ['NO', 'RECEIVED (UTC)', 'RELEASE', 'ENVIRONMENT', 'DOOR', 'USER', 'EVENT'];
  print(`\n${listText(head, rows)}`);
  if (next !== null) print(style('dim', `Older ones: --cursor ${next}\n`));
}

/** `Marked as fixed by ada: adds a comment to the issue (pending)`. Call it for a run with a resolution. */
export function resolutionLine(run: Run): string {
  const { resolution } = run;
  if (!resolution) return '';
  const by = resolution.by === null ? '' : ` by ${clipped(resolution.by, 60)}`;
  return `${resolutionText(resolution)}${by}${followUpWords(run)}`;
}

/** The comment on the earlier issue, and how far it is. */
function linkBackWords(link: LinkBack): string {
  const { error } = link.change ?? {};
  return `${clipped(linkBackText(link), 200)}${error ? ` (${clipped(error.detail, 200)})` : ''}`;
}

/** What the decision does to the issue, and how far it is; empty if it does nothing. */
export function followUpWords({ follow_up }: Run): string {
  const effect = follow_up && effectText(follow_up);
  if (!follow_up || effect === null) return '';
  const { state, error } = follow_up;
  const why = error === null || error === undefined ? '' : `: ${clipped(error.detail, 200)}`;
  return `; ${effect} (${state}${why})`;
}

/** What was changed in a draft: title, labels, assignees, and the body as a unified diff. */
export function printChanges({ machine, current, labels, assignees, body }: DraftDifference): void {
  const style = styleFor(process.stdout);
  const put = (sign: '-' | '+', text: string) =>
    print(`${style(sign === '-' ? 'red' : 'green', `${sign}${text}`)}\n`);
  if (machine.title !== current.title) {
    put('-', `title: ${clipped(machine.title, 256)}`);
    put('+', `title: ${clipped(current.title, 256)}`);
  }
  for (const [name, { removed, added }] of Object.entries({ labels, assignees })) {
    for (const one of removed) put('-', `${name}: ${clipped(one, 60)}`);
    for (const one of added) put('+', `${name}: ${clipped(one, 60)}`);
  }
  for (const line of body.split('\n')) {
    if (/^[-+]/.test(line)) put(line.startsWith('-') ? '-' : '+', line.slice(1));
    else if (line !== '') print(`${line.startsWith('@@') ? style('cyan', line) : line}\n`);
  }
}
