import type { HistoryEntry, RunState } from '@culprit/core';
import { useSignal } from '@preact/signals';
import { exact, plural, span } from '../format.js';
import { ICONS, Icon } from '../parts/icons.js';
import { Pill, STATES } from '../parts/pill.js';
import { Text, visible } from '../parts/text.js';
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
  const pending = state === 'analyzing' || state === 'publishing';
  return (
    <section class="part" aria-labelledby="timeline">
      <h3 id="timeline" tabIndex={-1}>
        Timeline{' '}
        <span class="soft">
          {plural(history.length, 'entry', 'entries')}, oldest first, times in{' '}
          {exact(new Date().toISOString()).slice(20)}
        </span>
      </h3>
      <fieldset class="segments">
        <legend class="sr">Show</legend>
        {Object.entries(SHOWS).map(([name, label]) => (
          <button
            key={name}
            type="button"
            aria-pressed={show.value === name}
            onClick={() => {
              show.value = name as Show;
            }}
          >
            {label}
          </button>
        ))}
      </fieldset>
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
    </section>
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
  const said = detail.comment ?? detail.reason;
  const reason = typeof said === 'string' ? said : null;
  const rest = Object.entries(detail).filter(([key]) => key !== 'reason' && key !== 'comment');
  return (
    <li class={kind} data-failed={error === null ? undefined : ''}>
      <span class="dot">{error === null ? null : <Icon path={ICONS.cross} size={9} />}</span>
      <div class="entry">
        <p>
          <b>{visible(decisionWords(name))}</b>
          {by !== null && (
            <span>
              {' '}
              by <Text of={by} /> <span class="soft">({via})</span>
            </span>
          )}
          {attempt > 1 && kind === 'step' && <Pill>attempt {attempt}</Pill>}
          {to !== null && to !== from && <Pill tone={STATES[to].tone}>→ {STATES[to].words}</Pill>}
          <time class="soft num" dateTime={at} title={exact(at)}>
            {exact(at).slice(11, 19)}
          </time>
        </p>
        {ms !== null && (
          <p class="duration">
            <span class="bar" style={{ width: `${Math.max(1.5, (ms / longest) * 100)}%` }} />
            <span class="num soft">{span(ms)}</span>
          </p>
        )}
        {reason !== null && <Text as="q" of={reason} />}
        {error !== null && (
          <p class="problem untrusted">
            <code>{visible(error.code)}</code> {visible(error.detail)}
            {error.retryable ? ' Retryable.' : ''}
          </p>
        )}
        {(rest.length > 0 || digest !== null) && (
          <details>
            <summary>Details</summary>
            <pre class="untrusted">
              {visible(
                JSON.stringify(
                  digest === null ? Object.fromEntries(rest) : { digest, ...Object.fromEntries(rest) },
                  null,
                  1,
                ),
              )}
            </pre>
          </details>
        )}
      </div>
    </li>
  );
}
