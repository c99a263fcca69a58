import type { OccurrenceEntry, Run } from '@culprit/core';
import { mergedCount } from '@culprit/core/internal/domain/merge';
import { useEffect } from 'preact/hooks';
import { ago, exact, plural, whole } from '../format.js';
import { Marked } from '../parts/marked.js';
import { Scroller } from '../parts/scroller.js';
import { visible } from '../parts/text.js';
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
import { jump } from './jump.js';
import { TagShares } from './tag-shares.js';

/** When it crashed, whom, and with which tags; then every stored occurrence. */
export function OccurrencesSection({ run }: { readonly run: Run }) {
  const place = route.value;
  const number = place.page === 'run' && place.id === run.run_id ? place.occurrence : null;
  useEffect(() => wantOccurrences(run), [run.run_id, run.occurrences]);
  useEffect(() => viewEvent(run, number), [run.run_id, number]);
  const known = occurrences.value;
  if (known === null || known.runId !== run.run_id) return null;
  const { statistics } = known;
  const missing = run.occurrences - statistics.occurrences;
  return (
    <section class="part" aria-labelledby="occurrences">
      <h3 id="occurrences" tabIndex={-1}>
        Occurrences <span class="soft">{summary(run, known)}</span>
      </h3>
      {statistics.occurrences > 0 && (
        <>
          <CrashChart run={run} statistics={statistics} now={clock.value} />
          <TagShares tags={statistics.tags} />
        </>
      )}
      {known.entries.length > 0 && <List run={run} known={known} />}
      {missing > 0 && known.next === null && <p class="soft">{whyMissing(run, missing)}</p>}
    </section>
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
      <Scroller class="table-box" label="Occurrences">
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
        <button type="button" class="button small" onClick={() => void loadMore()}>
          Show older occurrences
        </button>
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
        <time class="num" dateTime={received_at} title={ago(received_at, clock.value)}>
          {exact(received_at).slice(0, 19)}
        </time>
      </td>
      <td class="untrusted">{visible(release ?? '–')}</td>
      <td class="untrusted">{visible(environment ?? '–')}</td>
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
