import type { RunState, RunStory } from '@culprit/core';
import type { Draft, Run } from '@culprit/core/connector';
import { linkBackText, resolutionText } from '@culprit/core/internal/domain/resolution';
import { snoozeText, wokenText } from '@culprit/core/internal/domain/snooze';
import { draftIsOutdated, type Source, sourcesOf, trustMix } from '@culprit/core/internal/domain/source';
import { furtherGaps, NO_SUSPECT, remedyOf, type Suspect } from '@culprit/core/internal/domain/suspect';
import { trustOf } from '@culprit/core/internal/domain/trust';
import { likelihood, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import type { RunComment } from '@culprit/core/internal/ports/notifier';
import type { ActionsBlock, ContextBlock, HeaderBlock, KnownBlock, SectionBlock } from '@slack/web-api';
import { APPROVE, REJECT, shownOf } from './button.js';
import type { SlackMessage } from './client.js';
import { comebackTexts } from './comebacks.js';
import { clipped, escaped, linkTarget, outsideBlock, outsideSpan, outsideTitle } from './text.js';

/** Slack's limits: https://docs.slack.dev/reference/block-kit/blocks */
const HEADER_CHARS = 150;
const SECTION_CHARS = 3_000;
const SUSPECTS = 3;
const OWNERS = 4;
/** Characters of the draft's body, as sent; the board shows all of it. */
const EXCERPT_CHARS = 1_800;
/** Characters of the draft's trailer, as sent: more than it may have. */
const TRAILER_CHARS = 2_800;
/** Characters of a comment, as sent: more than it may have, because escapes count. */
const COMMENT_CHARS = 2_800;

const OUTDATED =
  'This draft is about a crash that anyone could have sent. A trusted crash has been received since: reject with a return to Gate 1.';

const STATE_TEXT: Readonly<Record<RunState, string>> = {
  staged_raw: 'Waiting at Gate 1',
  analyzing: 'Gate 1 approved, analysing',
  staged_draft: 'Waiting at Gate 2',
  publishing: 'Gate 2 approved, publishing',
  published: 'Published',
  rejected: 'Rejected',
  snoozed: 'Snoozed',
  merged: 'Merged into another run',
};

export interface MessageOptions {
  readonly boardUrl: string | null;
  readonly buttons: boolean;
}

/** Renders a run as one message; the same run gives the same message. All untrusted text is made safe. */
export function renderMessage(
  run: Run,
  { boardUrl, buttons }: MessageOptions,
  story?: RunStory,
  trailer?: string,
): SlackMessage {
  const title = outsideTitle(run.title, HEADER_CHARS);
  const shown = buttons ? shownOf(run) : null;
  const blocks: KnownBlock[] = [
    header(title),
    section(`*${STATE_TEXT[run.state]}*${published(run)}${snoozeOf(run)}\n${factsOf(run)}`),
    ...comebackTexts(run, story).map(section),
    ...wokenOf(run),
    ...claimOfRun(run),
    ...trustOfRun(run),
    ...errorOf(run),
    ...resolutionOf(run),
    ...suspectsOf(run),
    ...ownersOf(run),
    ...linkBackOf(run),
    ...draftOf(run, trailer),
    ...(shown === null ? [] : [actions(JSON.stringify(shown))]),
    context(footer(run, boardUrl)),
  ];
  return { text: escaped(`${STATE_TEXT[run.state]}: ${title}`), blocks };
}

/** A reviewer's comment, for the run's thread. */
export function renderComment({ by, text }: RunComment): SlackMessage {
  const who = outsideSpan(by, 40);
  return {
    text: escaped(`Comment by ${outsideTitle(by, 40)}`),
    blocks: [section(`:speech_balloon: *${who}*\n${outsideBlock(text, COMMENT_CHARS)}`)],
  };
}

function published({ publication }: Run): string {
  const target = linkTarget(publication?.issue_url ?? null);
  return publication === null || target === null ? '' : `: <${target}|issue ${publication.number}>`;
}

/** Slack shows the time in the reader's zone. */
function snoozeOf({ state, snooze }: Run): string {
  if (state !== 'snoozed' || !snooze) return '';
  return ` ${snoozeText(snooze, slackTime)} by ${outsideSpan(snooze.by, 40)}`;
}

function resolutionOf({ resolution, follow_up }: Run): KnownBlock[] {
  const failed = follow_up?.state === 'failed' ? follow_up.error : null;
  const by = resolution?.by ? ` by ${outsideSpan(resolution.by, 40)}` : '';
  return [
    ...(resolution ? [section(`:white_check_mark: *${resolutionText(resolution)}*${by}`)] : []),
    ...(failed ? [section(`:warning: ${outsideSpan(failed.detail, 300)}`)] : []),
  ];
}

function wokenOf({ woken }: Run): KnownBlock[] {
  if (!woken) return [];
  const { release } = woken;
  const text = wokenText(release === undefined ? woken : { ...woken, release: outsideSpan(release, 60) });
  return [section(`:alarm_clock: *Back from a snooze.* ${text}`)];
}

function claimOfRun({ claim }: Run): KnownBlock[] {
  if (!claim) return [];
  return [
    section(`:eyes: ${outsideSpan(claim.by, 40)} is looking at this run, until ${slackTime(claim.until)}`),
  ];
}

/** https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
function slackTime(iso: string): string {
  return `<!date^${Math.floor(Date.parse(iso) / 1_000)}^{date_short_pretty} {time}|${iso.slice(0, 16).replace('T', ' ')} UTC>`;
}

function factsOf(run: Run): string {
  const { occurrences, level, platform, releases, environments } = run;
  const doors = sourcesOf(run).map(doorText).join(', ');
  const facts = [
    occurrences === 1 ? 'seen once' : `seen ${occurrences} times`,
    `${level}, ${outsideSpan(platform, 30)}`,
    ...(releases.length === 0 ? [] : [`release ${outsideSpan(releases.at(-1) ?? '', 60)}`]),
    ...(environments.length === 0 ? [] : [`in ${outsideSpan(environments.at(-1) ?? '', 60)}`]),
    `through ${doors}`,
  ];
  return facts.join(' · ');
}

function doorText({ door, trust, occurrences }: Source): string {
  const key = trust === 'untrusted' ? ' (public key)' : '';
  return `${door}${key}${occurrences === 0 ? '' : ` ×${occurrences}`}`;
}

/** A warning if anyone could have sent some of the crashes. */
function trustOfRun(run: Run): KnownBlock[] {
  const { kind, untrusted } = trustMix(run);
  if (kind === 'trusted') return [];
  const shown = trustOf(run.event) === 'trusted';
  const which =
    kind === 'untrusted'
      ? 'All crashes'
      : untrusted === 0
        ? 'Some crashes'
        : `${untrusted} of ${run.occurrences} crashes`;
  const what = shown
    ? 'Culprit shows and analyses a trusted crash.'
    : 'Check that the crash is real before you approve.';
  return [section(`:warning: *${which} came with a public key, so anyone could have sent them.* ${what}`)];
}

/** A failed analysis is among the comebacks. */
function errorOf({ state, last_error }: Run): KnownBlock[] {
  if (last_error === null || state === 'staged_raw') return [];
  return [section(`:warning: ${outsideSpan(last_error.detail, 300)}`)];
}

function suspectsOf({ state, suspects, no_suspect, revision }: Run): KnownBlock[] {
  if (state !== 'staged_draft' && state !== 'publishing' && state !== 'published') return [];
  const gaps = furtherGaps(revision?.gaps, no_suspect).map(({ detail }) =>
    section(`:warning: ${outsideSpan(detail, 300)}`),
  );
  if (suspects.length === 0) return [section(`*No suspect.* ${whyNone(no_suspect)}`), ...gaps];
  return [...suspects.slice(0, SUSPECTS).map((suspect) => section(suspectText(suspect))), ...gaps];
}

/** The sentence of the code; what else is known may contain names from the crash. */
function whyNone(none: Run['no_suspect']): string {
  if (none === null) return '';
  const known = NO_SUSPECT[none.code] ?? '';
  const { text = '', command } = remedyOf(none.code);
  const more = none.detail === known ? '' : outsideSpan(none.detail, 400);
  const fix = command === undefined ? text : `${text} \`${command}\``;
  return [known, more, fix].filter((part) => part !== '').join(' ');
}

/** Who owns the crashed file. In code, so that nobody is notified. */
function ownersOf({ state, ownership }: Run): KnownBlock[] {
  const [crashed] = ownership?.files ?? [];
  if (!ownership || crashed === undefined) return [];
  if (state !== 'staged_draft' && state !== 'publishing' && state !== 'published') return [];
  const ruled = crashed.rules.map(({ owners, line }) => {
    const names = owners
      .slice(0, OWNERS)
      .map(({ kind, name }) => (kind === 'email' ? 'a mail address' : outsideSpan(name, 60)));
    const more = owners.length > OWNERS ? [`${owners.length - OWNERS} more`] : [];
    const who = names.length === 0 ? 'has no owner' : `is owned by ${[...names, ...more].join(', ')}`;
    return `${who} (CODEOWNERS line ${Math.trunc(line)})`;
  });
  if (ruled.length === 0) return [];
  return [section(`*Owner* ${outsideSpan(crashed.path, 100)} ${ruled.slice(0, OWNERS).join('; ')}`)];
}

function suspectText(suspect: Suspect): string {
  const { sha, title, author, url, verdict, reasons } = suspect;
  const short = /^[0-9a-f]{7,64}$/.test(sha) ? sha.slice(0, 9) : 'commit';
  const target = linkTarget(url);
  const name = target === null ? `\`${short}\`` : `<${target}|${short}>`;
  const why = reasons.slice(0, 2).map(({ text }) => `\n • ${outsideSpan(text, 120)}`);
  const certainty = `${VERDICT_WORDS[verdict]}, ${likelihood(suspect)}`;
  return `*Suspect* ${name} ${outsideSpan(title, 100)} by ${outsideSpan(author.name, 40)} (${certainty})${why.join('')}`;
}

/** The comment on the earlier issue: before it is made, and if it cannot be. */
function linkBackOf({ link_back }: Run): KnownBlock[] {
  if (!link_back || link_back.change?.state === 'done') return [];
  const { issue, change } = link_back;
  const target = linkTarget(issue.url);
  const where = target === null ? '' : ` <${target}|The earlier issue>.`;
  const why = change?.error ? ` ${outsideSpan(change.error.detail, 300)}` : '';
  const text = linkBackText(link_back, outsideSpan(issue.repository, 100));
  return [section(`:link: ${text.replace('a comment', 'A comment')}.${where}${why}`)];
}

function draftOf(run: Run, trailer: string | undefined): KnownBlock[] {
  const { state, draft } = run;
  if (draft === null || (state !== 'staged_draft' && state !== 'publishing')) return [];
  const outdated = draftIsOutdated(run) ? [section(`:warning: *${OUTDATED}*`)] : [];
  const edited = draft.edited_by === null ? '' : `, edited by ${outsideSpan(draft.edited_by, 40)}`;
  const more = draft.body.length > EXCERPT_CHARS ? '\n_The full text is on the board._' : '';
  return [
    ...outdated,
    section(
      `*${kindOf(draft)}* for ${outsideSpan(draft.repository, 100)}${edited}: ${outsideSpan(draft.title, 200)}`,
    ),
    section(`${outsideBlock(draft.body, EXCERPT_CHARS)}${more}`),
    ...(trailer === undefined
      ? []
      : [section(`*Added at its end*\n${outsideBlock(trailer, TRAILER_CHARS)}`)]),
    context(`Digest \`${/^[0-9a-f]{64}$/.test(draft.digest) ? draft.digest : 'unknown'}\``),
  ];
}

function kindOf({ reopens }: Draft): string {
  if (reopens === undefined) return 'Draft';
  const verb = reopens.only_comment === true ? 'on' : 'that reopens';
  return `Draft of a comment ${verb} issue ${Math.trunc(reopens.number)}`;
}

function footer(run: Run, boardUrl: string | null): string {
  const target = linkTarget(boardUrl === null ? null : `${boardUrl.replace(/\/+$/, '')}/#${run.run_id}`);
  const board = target === null ? '' : `<${target}|Open on the board> · `;
  return `${board}project ${outsideSpan(run.project, 64)} · ${outsideSpan(run.run_id, 64)}`;
}

function header(text: string): HeaderBlock {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

/** `verbatim`: Slack does not turn addresses, names or channels into links. */
function section(text: string): SectionBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: clipped(text, SECTION_CHARS), verbatim: true } };
}

function context(text: string): ContextBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] };
}

function actions(value: string): ActionsBlock {
  const button = (action_id: string, text: string, style: 'primary' | 'danger') => ({
    type: 'button' as const,
    action_id,
    style,
    value,
    text: { type: 'plain_text' as const, text, emoji: false },
  });
  return {
    type: 'actions',
    block_id: 'culprit.gate',
    elements: [button(APPROVE, 'Approve', 'primary'), button(REJECT, 'Reject', 'danger')],
  };
}
