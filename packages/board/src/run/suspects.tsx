import type { PlacedStack, Run } from '@culprit/core';
import { furtherGaps, type Hunk, type Suspect } from '@culprit/core/internal/domain/suspect';
import { likelihood, unratedTexts, VERDICT_WORDS } from '@culprit/core/internal/domain/verdict';
import { plural } from '../format.js';
import { Copy } from '../parts/copy.js';
import { Part } from '../parts/part.js';
import { Pill } from '../parts/pill.js';
import { CodeScroller } from '../parts/scroller.js';
import { Out, Text, Ticked, visible } from '../parts/text.js';
import { When } from '../parts/when.js';
import { Gaps, Remedy } from './gaps.js';
import { investigatorWords, unmeasured } from './investigator-words.js';
import { OutlookSection } from './outlook.js';
import { evidenceId, lit, showEvidence } from './stack-state.js';

const TONES = { auto: 'red', likely: 'amber', recent: 'grey' } as const;

/** Suspects listed at first. */
const SHOWN = 3;

interface SuspectsProps {
  readonly run: Run;
  readonly stack: PlacedStack | null;
}

/** Commits with their reasons, most likely first, or why there are none. */
export function SuspectsSection({ run }: SuspectsProps) {
  const { suspects, no_suspect } = run;
  const gaps = <Gaps gaps={furtherGaps(run.revision?.gaps, no_suspect)} />;
  if (no_suspect === null && suspects.length === 0)
    return run.state === 'staged_raw' ? <OutlookSection run={run} /> : null;
  if (suspects.length === 0) {
    return (
      <Part id="suspects" title="No suspect">
        <Text as="p" of={no_suspect?.detail ?? ''} />
        {no_suspect !== null && <Remedy none={no_suspect} />}
        {gaps}
      </Part>
    );
  }
  return (
    <Part id="suspects" title="Suspects" note="changes, not people">
      {gaps}
      {unratedTexts(suspects).map((why) => (
        <p key={why} class="soft">
          No probability: {why}.
        </p>
      ))}
      <ol class="suspects">
        {suspects.slice(0, SHOWN).map((suspect, index) => (
          <SuspectRow key={suspect.sha} suspect={suspect} first={index === 0} />
        ))}
      </ol>
      {suspects.length > SHOWN && (
        <details>
          <summary>{suspects.length - SHOWN} less likely</summary>
          <ol class="suspects more">
            {suspects.slice(SHOWN).map((suspect) => (
              <SuspectRow key={suspect.sha} suspect={suspect} first={false} />
            ))}
          </ol>
        </details>
      )}
    </Part>
  );
}

function SuspectRow({ suspect, first }: { readonly suspect: Suspect; readonly first: boolean }) {
  const { sha, title, author, committed_at, url, verdict, probability, found_by, reasons, frames, hunk } =
    suspect;
  const evidence = `commit:${sha}`;
  return (
    <li
      class="suspect"
      id={evidenceId(evidence)}
      data-lit={lit.value === evidence ? '' : undefined}
      data-verdict={verdict}
      tabIndex={-1}
    >
      <p class="suspect-head flow">
        {probability !== null && <b class="share num">{likelihood(suspect)}</b>}
        {found_by?.measured === false && <span class="soft">{unmeasured(found_by.by)}</span>}
        <Pill tone={TONES[verdict]}>{VERDICT_WORDS[verdict]}</Pill>
        {found_by && (
          <Pill
            tone="violet"
            title={visible(`${plural(found_by.questions, 'question')} by ${investigatorWords(found_by.by)}`)}
          >
            found by asking
          </Pill>
        )}
        <code>
          <Out to={url}>{sha.slice(0, 10)}</Out>
        </code>
        <Copy what="the commit’s SHA" text={sha} />
        <Copy what="git show for this commit" text={`git show ${sha}`} label="Copy git show" />
        <Text of={title} class="title" />
      </p>
      <p class="soft by">
        <Text of={author.name} />, <When iso={committed_at} />
        {suspect.pull_request !== null && (
          <>
            {' · '}
            <Out to={suspect.pull_request.url}>
              #{suspect.pull_request.number} <Text of={suspect.pull_request.title} />
            </Out>
          </>
        )}
        {frames.slice(0, 4).map((frame) => (
          <button
            key={frame}
            type="button"
            class="chip"
            onClick={() => showEvidence(`frame:${frame}`)}
            onMouseEnter={() => {
              lit.value = `frame:${frame}`;
            }}
            onMouseLeave={() => {
              lit.value = null;
            }}
          >
            frame {frame + 1}
          </button>
        ))}
      </p>
      <ul class="reasons">
        {reasons.map(({ text }) => (
          <li key={text} class="untrusted">
            <Ticked text={text} />
          </li>
        ))}
      </ul>
      {hunk !== null && <HunkView hunk={hunk} sha={sha} open={first} />}
      <Components suspect={suspect} />
    </li>
  );
}

const SIGNS = { context: ' ', added: '+', removed: '-' } as const;

/** The part of the diff nearest to the crash, with the crashed line marked. */
function HunkView({
  hunk,
  sha,
  open,
}: {
  readonly hunk: Hunk;
  readonly sha: string;
  readonly open: boolean;
}) {
  const evidence = `hunk:${sha}`;
  return (
    <details
      class="hunk"
      id={evidenceId(evidence)}
      data-lit={lit.value === evidence ? '' : undefined}
      open={open}
    >
      <summary>
        <Text as="code" of={hunk.path} /> <Text as="code" of={hunk.header} class="soft" />
      </summary>
      <CodeScroller class="source" label="Suspect change">
        {hunk.lines.map(({ kind, text, line, crashed }, at) => (
          <span key={at} class={`line ${kind}${crashed ? ' crashed' : ''}`}>
            <i>{line ?? ''}</i>
            {SIGNS[kind]}
            {visible(text)}
            {crashed && <em> ◀ crashed here</em>}
          </span>
        ))}
      </CodeScroller>
    </details>
  );
}

/** The components of the score. */
function Components({ suspect: { components, score } }: { readonly suspect: Suspect }) {
  const parts = Object.entries(components).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (parts.length === 0) return null;
  const most = Math.max(...parts.map(([, value]) => Math.abs(value)), 0.001);
  return (
    <details class="components">
      <summary>Score {score.toFixed(2)}: components</summary>
      <dl>
        {parts.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>
              <meter min={0} max={most} value={Math.abs(value)} aria-label={name} />
              <span class="num">
                {value > 0 ? '+' : ''}
                {value.toFixed(2)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
