import type { Event, OccurrenceEntry, Run, RunStatistics } from '@culprit/core';
import { mergedCount } from '@culprit/core/internal/domain/merge';
import type { TagCount } from '@culprit/core/internal/domain/run-statistics';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { exact, percent, plural, whole } from '../format.js';
import { Button } from '../parts/button.js';
import { Marked } from '../parts/marked.js';
import { Part } from '../parts/part.js';
import { Scroller } from '../parts/scroller.js';
import { ShowRest } from '../parts/show-rest.js';
import { Text } from '../parts/text.js';
import { When } from '../parts/when.js';
import { clock } from '../state/clock.js';
import {
  loadMore,
  type Occurrences,
  occurrences,
  viewEvent,
  viewed,
  wantOccurrences,
} from '../state/occurrences.js';
import { addressOfRun, goToOccurrence, route } from '../state/route.js';
import { CrashChart } from './crash-chart.js';
import { EventData } from './event-data.js';
import { jump } from './jump.js';

interface EvidenceProps {
  readonly run: Run;
  /** The event that the page shows: the run's, or that of another occurrence. */
  readonly event: Event;
}

/** The occurrences, and what the event reports beside its stack. A chunk of its own. */
export function Evidence({ run, event }: EvidenceProps) {
  return (
    <>
      <OccurrencesSection run={run} />
      <EventData event={event} />
    </>
  );
}

/** When it crashed, whom, and with which tags; then every stored occurrence. */
function OccurrencesSection({ run }: { readonly run: Run }) {
  const place = route.value;
  const number = place.page === 'run' && place.id === run.run_id ? place.occurrence : null;
  useEffect(() => wantOccurrences(run), [run.run_id, run.occurrences]);
  useEffect(() => viewEvent(run, number), [run.run_id, number]);
  const known = occurrences.value;
  if (known === null || known.runId !== run.run_id) return null;
  const { statistics } = known;
  const missing = run.occurrences - statistics.occurrences;
  return (
    <Part id="occurrences" title="Occurrences" note={summary(run, known)}>
      {statistics.occurrences > 0 && (
        <>
          <CrashChart run={run} statistics={statistics} now={clock.value} />
          <TagShares tags={statistics.tags} />
        </>
      )}
      {known.entries.length > 0 && <List run={run} known={known} />}
      {missing > 0 && known.next === null && <p class="soft">{whyMissing(run, missing)}</p>}
    </Part>
  );
}

/** Why the list has fewer crashes than the run counts. */
function whyMissing(run: Run, missing: number): string {
  const one = missing === 1;
  if (mergedCount(run) > 0)
    return `${plural(missing, 'crash', 'crashes')} of merged runs ${one ? 'is' : 'are'} listed on the pages of those runs.`;
  return `${plural(missing, 'earlier crash', 'earlier crashes')} ${one ? 'was' : 'were'} counted by an older version, without details.`;
}

function summary({ occurrences: all }: Run, { statistics }: Occurrences): string {
  const { users } = statistics;
  const crashes = plural(all, 'crash', 'crashes');
  if (users.count === 0) return crashes;
  return `${crashes}, ${users.more ? 'over ' : ''}${plural(users.count, 'user')} affected`;
}

function List({ run, known }: { readonly run: Run; readonly known: Occurrences }) {
  const now = viewed.value?.runId === run.run_id ? viewed.value.entry.number : known.events[0];
  return (
    <>
      <Scroller class="table tall" label="Occurrences">
        <table class="occurrence-table">
          <thead>
            <tr>
              <th scope="col">Crash</th>
              <th scope="col">Received</th>
              <th scope="col">Release</th>
              <th scope="col">Environment</th>
              <th scope="col">Door</th>
              <th scope="col">User</th>
              <th scope="col">Event</th>
            </tr>
          </thead>
          <tbody>
            {known.entries.map((entry) => (
              <Row
                key={entry.number}
                run={run}
                entry={entry}
                current={entry.number === now}
                latest={known.events[0]}
              />
            ))}
          </tbody>
        </table>
      </Scroller>
      {known.next !== null && (
        <Button small onClick={() => void loadMore()}>
          Show older occurrences
        </Button>
      )}
    </>
  );
}

interface RowProps {
  readonly run: Run;
  readonly entry: OccurrenceEntry;
  readonly current: boolean;
  readonly latest: number | undefined;
}

function Row({ run, entry, current, latest }: RowProps) {
  const { number, received_at, release, environment, door, trust, user, stored } = entry;
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goToOccurrence(run, number === latest ? null : number);
    jump('crash');
  };
  return (
    <tr aria-current={current ? 'true' : undefined}>
      <th scope="row" class="num">
        {whole(number)}
      </th>
      <td>
        <When iso={received_at} class="num">
          {exact(received_at).slice(0, 19)}
        </When>
      </td>
      <Text as="td" of={release ?? '–'} />
      <Text as="td" of={environment ?? '–'} />
      <td>
        {door}
        {trust === 'untrusted' && <span class="soft"> (public key)</span>}
      </td>
      <td class="untrusted">{user === null ? '–' : <Marked text={user} />}</td>
      <td>
        {current ? (
          'shown'
        ) : stored ? (
          <a
            class="button small"
            href={addressOfRun(run, number)}
            aria-label={`Show crash ${whole(number)}`}
            onClick={open}
          >
            Show
          </a>
        ) : (
          <span class="soft">not stored</span>
        )}
      </td>
    </tr>
  );
}

/** Tags, and values of each, that are shown at first. */
const TAGS = 8;
const VALUES = 4;

/** How the values of each tag are distributed over the crashes. */
function TagShares({ tags }: Pick<RunStatistics, 'tags'>) {
  const all = useSignal(false);
  if (tags.length === 0) return null;
  const hidden = all.value ? 0 : Math.max(0, tags.length - TAGS);
  return (
    <>
      <ul class="tag-shares" aria-label="Tags">
        {byInterest(tags)
          .slice(0, tags.length - hidden)
          .map((tag) => (
            <Tag key={tag.name} tag={tag} />
          ))}
      </ul>
      {hidden > 0 && <ShowRest all={all} what={plural(hidden, 'more tag')} />}
    </>
  );
}

/** Those with several values first: they can tell crashes apart. */
function byInterest(tags: readonly TagCount[]): readonly TagCount[] {
  return [...tags].sort((a, b) => Number(b.values.length > 1) - Number(a.values.length > 1));
}

function Tag({ tag }: { readonly tag: TagCount }) {
  const { name, values, occurrences } = tag;
  const rest = tag.other + values.slice(VALUES).reduce((sum, one) => sum + one.occurrences, 0);
  const rows = [
    ...values.slice(0, VALUES).map((one) => ({ ...one, known: true })),
    ...(rest > 0 ? [{ value: 'other values', occurrences: rest, known: false }] : []),
  ];
  return (
    <li>
      <Text as="h4" of={name} />
      <ol>
        {rows.map(({ value, occurrences: count, known }) => (
          <li key={value} title={`${whole(count)} of ${plural(occurrences, 'crash', 'crashes')}`}>
            <span class="fill" style={{ width: `${(100 * count) / occurrences}%` }} />
            <span class={known ? 'value untrusted' : 'value soft'}>
              {known ? <Marked text={value} /> : value}
            </span>
            <span class="num">{percent(count / occurrences)}</span>
          </li>
        ))}
      </ol>
    </li>
  );
}
