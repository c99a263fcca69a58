import type { HistoryEntry, Run, RunState } from '@culprit/core';
import { fixName, missingText, type RunFix } from '@culprit/core/internal/domain/fix';
import { effectText, linkBackText, resolutionText } from '@culprit/core/internal/domain/resolution';
import { trustMix } from '@culprit/core/internal/domain/source';
import type { ComponentChildren } from 'preact';
import { ICONS, Icon } from '../parts/icons.js';
import { Pill, STATES } from '../parts/pill.js';
import { Out, Text } from '../parts/text.js';
import { outOfDate } from '../state/feed.js';
import { deciding } from '../state/run.js';
import { type Action, ActionButtons, whyNot } from './action.js';
import { ACTIONS, ALL_ACTIONS } from './actions.js';
import { stepNow } from './analysis-progress.js';
import { HandedOver } from './hand-over.js';
import { outlook } from './outlook.js';
import { snoozeWords } from './snooze-choice.js';

interface GateBarProps {
  readonly run: Run;
  readonly history: readonly HistoryEntry[];
}

/** What the page does while somebody waits. */
function upToDate(): string {
  return outOfDate.value ?? 'This page updates automatically.';
}

/** In these states the bar says why its chief action is not possible. */
const CHIEF: Readonly<Partial<Record<RunState, Action>>> = {
  staged_raw: ACTIONS.approve,
  staged_draft: ACTIONS.sign,
  snoozed: ACTIONS.snooze,
  merged: ACTIONS.undo,
};

/** The bar at the bottom of the page: the pending decision, or the result. */
export function GateBar({ run, history }: GateBarProps) {
  const busy = deciding.value;
  if (busy !== null) return <Bar name={`${busy}…`} tone="blue" words={`In progress. ${upToDate()}`} />;
  const { words: name, tone } = STATES[run.state];
  const chief = CHIEF[run.state];
  const why = chief === undefined ? null : whyNot(chief, run);
  // The links of the others are the way on, on narrow screens, too.
  const links = run.state === 'published' || run.state === 'merged';
  return (
    <Bar name={name} tone={tone} why={why !== null || links} words={why ?? wordsOf(run, history)}>
      <ActionButtons actions={ALL_ACTIONS} run={run} place="bar" />
    </Bar>
  );
}

function wordsOf(run: Run, history: readonly HistoryEntry[]): ComponentChildren {
  switch (run.state) {
    case 'staged_raw':
      return cameBack(history) ?? gateOneWords(run);
    case 'analyzing':
      return `${stepNow(run.run_id) ?? 'Culprit is analysing the history, and then writes a draft'}. ${upToDate()}`;
    case 'staged_draft':
      return 'Your signature publishes exactly this draft, once.';
    case 'publishing':
      return 'Signed. Culprit creates the issue as soon as the code host accepts it.';
    case 'published':
      return <Published run={run} />;
    case 'snoozed':
      return <SnoozedWords run={run} />;
    case 'merged':
      return (
        <>
          Its crashes are counted on <a href={`#${run.merged_into ?? ''}`}>the other run</a>.
        </>
      );
    case 'rejected':
      return trustMix(run).trusted > 0
        ? 'New crashes are counted, but do not start a new run for a while.'
        : 'New crashes with a public key are counted, but do not start a new run for a while. A trusted crash does.';
  }
}

function gateOneWords(run: Run): string {
  if (outlook.value?.no_suspect)
    return 'Start the analysis? No suspect can be found yet: see above what to fix.';
  return trustMix(run).kind === 'untrusted'
    ? 'Start the analysis? Every crash came with a public key: check that it is real.'
    : 'Start the analysis? Nothing is published yet.';
}

function SnoozedWords({ run: { snooze } }: { readonly run: Run }) {
  if (!snooze) return null;
  return (
    <>
      {snoozeWords(snooze).replace('until', 'Until')}, by <Text of={snooze.by} />. New crashes are counted.
    </>
  );
}

/** Why the run is at Gate 1 again; `null` if it is there for the first time. */
function cameBack(history: readonly HistoryEntry[]): ComponentChildren {
  const entry = history.findLast(({ to, from }) => to === 'staged_raw' && from !== 'snoozed');
  const by = <Text as="b" of={entry?.by ?? 'a reviewer'} />;
  const reason = typeof entry?.detail.reason === 'string' ? entry.detail.reason : '';
  if (entry?.name === 'analysis.failed') return 'The analysis failed. Approve Gate 1 to try again.';
  if (entry?.name === 'gate1.reopen') return <>{by} undid the rejection. Start the analysis?</>;
  if (entry?.name !== 'gate2.return') return null;
  return (
    <>
      Returned by {by}: “<Text of={reason} />”
    </>
  );
}

function Published({ run }: { readonly run: Run }) {
  const { publication, fix = null } = run;
  if (publication === null) return null;
  const { issue_url, comment_url, number, divergence } = publication;
  return (
    <>
      <Out to={comment_url ?? issue_url}>
        {comment_url === undefined ? 'Issue' : 'A comment on issue'} #{number}
      </Out>
      {divergence.length === 0 ? ', exactly as signed.' : '. The code host changed it: '}
      {divergence.length > 0 && <Text of={divergence.join('; ')} />}
      {fix !== null && <Fixed fix={fix} />}
      <Over run={run} />
      <LinkedBack run={run} />
      <HandedOver run={run} />
    </>
  );
}

/** Who ended the run, and what that does to the issue. */
function Over({ run: { resolution, follow_up } }: { readonly run: Run }) {
  const effect = follow_up ? effectText(follow_up) : null;
  const open = follow_up?.state !== 'done' && effect !== null ? follow_up : null;
  return (
    <>
      {resolution && (
        <>
          {' '}
          {resolutionText(resolution)}
          {resolution.by !== null && (
            <>
              {' by '}
              <Text of={resolution.by} />
            </>
          )}
          .
        </>
      )}
      {open?.state === 'pending' && ` Culprit ${effect} as soon as the code host accepts it.`}
      {open?.state === 'failed' && <Text of={` ${open.error?.detail ?? ''}`} />}
    </>
  );
}

/** What closed the issue, and the crashes since then that it cannot have prevented. */
function Fixed({ fix }: { readonly fix: RunFix }) {
  const missing = missingText(fix);
  return (
    <>
      {' Fixed by '}
      <Out to={fix.pull_request?.url ?? null}>{fixName(fix)}</Out>
      {missing === null ? '.' : '; still '}
      {missing !== null && <Text of={`${missing}.`} />}
    </>
  );
}

interface BarProps {
  readonly name: string;
  readonly tone: string;
  readonly words: ComponentChildren;
  /** The words explain why an action is disabled; narrow screens show them, too. */
  readonly why?: boolean;
  readonly children?: ComponentChildren;
}

function Bar({ name, tone, words, why = false, children }: BarProps) {
  return (
    <section class="gate-bar" data-tone={tone} data-gate={name} aria-label="Gate">
      <p>
        <Pill tone={tone}>
          <Icon path={tone === 'green' ? ICONS.check : tone === 'blue' ? ICONS.work : ICONS.gate} size={11} />
          {name}
        </Pill>{' '}
        <span class={why ? 'words why' : 'words'}>{words}</span>
      </p>
      {children}
    </section>
  );
}

/** The comment that links a regression's new issue from the earlier one. */
function LinkedBack({ run: { link_back } }: { readonly run: Run }) {
  if (!link_back?.change) return null;
  const { comment_url, error } = link_back.change;
  return (
    <>
      {' '}
      <Out to={comment_url}>
        <Text of={linkBackText(link_back).replace(/^a/, 'A')} />
      </Out>
      .{error && <Text of={` ${error.detail}`} />}
    </>
  );
}
