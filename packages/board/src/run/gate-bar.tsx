import type { HistoryEntry, Run } from '@culprit/core';
import { fixName, missingText, type RunFix } from '@culprit/core/internal/domain/fix';
import { effectText, linkBackText, resolutionText } from '@culprit/core/internal/domain/resolution';
import { trustMix } from '@culprit/core/internal/domain/source';
import type { ComponentChildren } from 'preact';
import { ICONS, Icon } from '../parts/icons.js';
import { Pill } from '../parts/pill.js';
import { Key } from '../parts/scroller.js';
import { Out, Text, visible } from '../parts/text.js';
import { outOfDate } from '../state/feed.js';
import { deciding } from '../state/run.js';
import { stepNow } from './analysis-progress.js';
import {
  askBack,
  askGateOne,
  askGateTwo,
  askReject,
  askReopen,
  whyNotDecide,
  whyNotSign,
} from './decisions.js';
import { askHandOver, HandedOver } from './hand-over.js';
import { outlook } from './outlook.js';
import { askFixed } from './resolving.js';
import { snoozeWords } from './snooze-choice.js';
import { askSnooze, askWake } from './turn-actions.js';
import { askVerify } from './verify.js';

interface GateBarProps {
  readonly run: Run;
  readonly history: readonly HistoryEntry[];
}

/** What the page does while somebody waits. */
function upToDate(): string {
  return outOfDate.value ?? 'This page updates automatically.';
}

/** The bar at the bottom of the page: the pending decision, or the result. */
export function GateBar({ run, history }: GateBarProps) {
  const busy = deciding.value;
  const why = whyNotDecide(run.state === 'snoozed' ? 'comment' : 'gate1');
  if (busy !== null) return <Bar name={`${busy}…`} tone="blue" words={`In progress. ${upToDate()}`} />;
  switch (run.state) {
    case 'staged_raw':
      return (
        <Bar
          name="Gate 1"
          tone="amber"
          why={why !== null}
          words={
            why ??
            cameBack(history) ??
            (outlook.value?.no_suspect
              ? 'Start the analysis? No suspect can be found yet: see above what to mend.'
              : null) ??
            (trustMix(run).kind === 'untrusted'
              ? 'Start the analysis? Every crash came with a public key: check that it is real.'
              : 'Start the analysis? Nothing is published yet.')
          }
        >
          <Act label="Reject" shortcut="R" act={askReject} disabled={why !== null} />
          <Act label="Approve Gate 1" shortcut="A" act={askGateOne} primary disabled={why !== null} />
        </Bar>
      );
    case 'analyzing':
      return (
        <Bar
          name="Analysing"
          tone="blue"
          words={`${stepNow(run.run_id) ?? 'Culprit is analysing the history, then writes a draft'}. ${upToDate()}`}
        />
      );
    case 'staged_draft':
      return <GateTwo />;
    case 'publishing':
      return (
        <Bar
          name="Publishing"
          tone="blue"
          words="Signed. Culprit creates the issue as soon as the code host accepts it."
        />
      );
    case 'published':
      return <Published run={run} />;
    case 'snoozed':
      return (
        <Bar name="Snoozed" tone="grey" why={why !== null} words={why ?? <SnoozedWords run={run} />}>
          <Act label="Change" shortcut="S" act={askSnooze} disabled={why !== null} />
          <Act label="Wake" shortcut="Z" act={askWake} disabled={why !== null} />
        </Bar>
      );
    case 'merged':
      return <Merged run={run} />;
    case 'rejected':
      return (
        <Bar
          name="Rejected"
          tone="grey"
          words={
            trustMix(run).trusted > 0
              ? 'New crashes are counted, but do not start a new run for a while.'
              : 'New crashes with a public key are counted, but do not start a new run for a while. A trusted crash does.'
          }
        >
          <Act label="Undo" shortcut="Z" act={askReopen} disabled={why !== null} />
        </Bar>
      );
  }
}

function SnoozedWords({ run: { snooze } }: { readonly run: Run }) {
  if (!snooze) return null;
  return (
    <>
      {snoozeWords(snooze).replace('until', 'Until')}, by <Text of={snooze.by} />. New crashes are counted.
    </>
  );
}

/** Where the run went, and the way back. */
function Merged({ run }: { readonly run: Run }) {
  const why = whyNotDecide('gate1');
  return (
    <Bar
      name="Merged"
      tone="grey"
      // The link is the way on, on narrow screens, too.
      why
      words={
        why ?? (
          <>
            Its crashes count on <a href={`#${run.merged_into ?? ''}`}>the other run</a>.
          </>
        )
      }
    >
      <Act label="Split" shortcut="Z" act={askReopen} disabled={why !== null} />
    </Bar>
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

function GateTwo() {
  const why = whyNotSign();
  const stale = whyNotDecide('gate2') !== null;
  return (
    <Bar
      name="Gate 2"
      tone="violet"
      why={why !== null}
      words={why ?? 'Your signature publishes exactly this draft, once.'}
    >
      <Act label="Return" shortcut="B" act={askBack} disabled={stale} />
      <Act label="Reject" shortcut="R" act={askReject} disabled={stale} />
      <Act label="Sign and publish" shortcut="⇧A" act={askGateTwo} primary disabled={why !== null} />
    </Bar>
  );
}

function Published({ run }: { readonly run: Run }) {
  const { publication, fix = null, resolution = null, follow_up } = run;
  if (publication === null) return null;
  const why = whyNotDecide('gate2');
  const failed = follow_up?.state === 'failed' && resolution !== null;
  const { issue_url, comment_url, number, divergence } = publication;
  return (
    <Bar
      name="Published"
      tone="green"
      why
      words={
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
      }
    >
      <Act label="Verify" shortcut="V" act={askVerify} />
      <Act label="Hand over" shortcut="H" act={askHandOver} disabled={why !== null} />
      {resolution?.by ? <Act label="Undo" shortcut="Z" act={askReopen} disabled={why !== null} /> : null}
      {resolution === null || failed ? (
        <Act
          label={failed ? 'Try again' : 'Mark as fixed'}
          shortcut="D"
          act={askFixed}
          disabled={why !== null}
        />
      ) : null}
    </Bar>
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
      {open?.state === 'failed' && <span class="untrusted"> {visible(open.error?.detail ?? '')}</span>}
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
      {missing !== null && <span class="untrusted">{visible(missing)}.</span>}
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
      {children !== undefined && <div class="actions">{children}</div>}
    </section>
  );
}

/** The comment that links a regression's new issue from the earlier one. */
function LinkedBack({ run: { link_back } }: { readonly run: Run }) {
  if (!link_back?.change) return null;
  const { comment_url, error } = link_back.change;
  const text = visible(linkBackText(link_back).replace(/^a/, 'A'));
  return (
    <span class="untrusted">
      {' '}
      {comment_url === null ? text : <Out to={comment_url}>{text}</Out>}.
      {error && ` ${visible(error.detail)}`}
    </span>
  );
}

interface ActProps {
  readonly label: string;
  readonly shortcut: string;
  readonly act: () => boolean;
  readonly primary?: boolean;
  readonly disabled?: boolean;
}

/** The second click of a double click decides nothing. */
function once(act: () => boolean) {
  return ({ detail }: MouseEvent) => void (detail < 2 && act());
}

/** A button of the gate bar, with its key. */
function Act({ label, shortcut, act, primary = false, disabled = false }: ActProps) {
  return (
    <button
      type="button"
      class={primary ? 'button primary' : 'button'}
      disabled={disabled}
      onClick={once(act)}
    >
      {label} <Key name={shortcut} />
    </button>
  );
}
