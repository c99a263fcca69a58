import type { HistoryEntry, RunState } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { exact, plural, span } from '../format.js';
import { Segments } from '../parts/choices.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Part } from '../parts/part.js';
import { Pill, STATES } from '../parts/pill.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { decisionWords } from './decision-words.js';

interface TimelineProps {
  readonly history: readonly HistoryEntry[];
  readonly state: RunState;
}
const SHOWS = { all: 'All', decision: 'Decisions', error: 'Errors' } as const;
type Show = keyof typeof SHOWS;

/** Every step and decision, oldest first, with durations and errors. */
export function Timeline({ history, state }: TimelineProps) {
  const show = useSignal<Show>('all');
  const shown = history.filter(
    (entry) =>
      show.value === 'all' || (show.value === 'error' ? entry.error !== null : entry.kind === 'decision'),
  );
  const longest = Math.max(1, ...history.map(({ ms }) => ms ?? 0));
  const zone = exact(new Date().toISOString()).slice(20);
  const pending = state === 'analyzing' || state === 'publishing';
  return (
    <Part
      id="timeline"
      title="Timeline"
      note={`${plural(history.length, 'entry', 'entries')}, oldest first, times in ${zone}`}
    >
      <Segments legend="Show" chosen={show} options={SHOWS} />
      <ol class="timeline">
        {pending && (
          <li class="pending">
            <span class="dot busy-dot" />
            <span>{state === 'analyzing' ? 'Analysing now…' : 'Publishing now…'}</span>
          </li>
        )}
        {shown.map((entry) => (
          <Entry key={entry.sequence} entry={entry} longest={longest} attempt={attemptOf(history, entry)} />
        ))}
        {shown.length === 0 && <li class="soft">None.</li>}
      </ol>
    </Part>
  );
}

/** The attempt number of a step, counted over the whole run. */
function attemptOf(history: readonly HistoryEntry[], entry: HistoryEntry): number {
  return history.filter(({ name, sequence }) => name === entry.name && sequence <= entry.sequence).length;
}

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly longest: number;
  readonly attempt: number;
}

function Entry({ entry, longest, attempt }: EntryProps) {
  const { kind, name, by, via, at, from, to, ms, error, digest, detail } = entry;
  const { comment, reason: why, ...members } = detail;
  const said = comment ?? why;
  const reason = typeof said === 'string' ? said : null;
  return (
    <li class={kind} data-failed={error === null ? undefined : ''}>
      <span class="dot">{error === null ? null : <Icon path={ICONS.cross} size={9} />}</span>
      <div class="entry">
        <p>
          <Text as="b" of={decisionWords(name)} />
          {by !== null && (
            <span>
              {' '}
              by <Text of={by} /> <span class="soft">({via})</span>
            </span>
          )}
          {attempt > 1 && kind === 'step' && <Pill>attempt {attempt}</Pill>}
          {to !== null && to !== from && <Pill tone={STATES[to].tone}>→ {STATES[to].words}</Pill>}
          <When iso={at} class="soft num">
            {exact(at).slice(11, 19)}
          </When>
        </p>
        {ms !== null && (
          <p class="duration">
            <span class="bar" style={{ width: `${Math.max(1.5, (ms / longest) * 100)}%` }} />
            <span class="num soft">{span(ms)}</span>
          </p>
        )}
        {reason !== null && <Text as="q" of={reason} />}
        {error !== null && (
          <p class="problem">
            <Text as="code" of={error.code} /> <Text of={error.detail} />
            {error.retryable ? ' Retryable.' : ''}
          </p>
        )}
        {(Object.keys(members).length > 0 || digest !== null) && (
          <details>
            <summary>Details</summary>
            <Text as="pre" of={JSON.stringify(digest === null ? members : { digest, ...members }, null, 1)} />
          </details>
        )}
      </div>
    </li>
  );
}
