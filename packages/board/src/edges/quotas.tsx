import type { Quota } from '@culprit/client';
import { api } from '../api.js';
import { bytes, whole } from '../format.js';
import { useResource } from '../parts/resource.js';
import { Scroller } from '../parts/scroller.js';
import { Text, visible } from '../parts/text.js';

const AGAIN_MS = 5_000;
/** Rows shown; core lists those that refused most first. */
const MAX = 50;

/** What each key, door and project has stored, and the new crashes that a quota refused. */
export function Quotas() {
  const { found: entries } = useResource(async () => (await api.listQuotas()).quotas, '', AGAIN_MS);
  if (entries === null || entries.length === 0) return null;
  return (
    <section class="quotas" aria-label="Quotas">
      <h3>Quotas</h3>
      <p class="soft">
        A new crash beyond a quota starts no run. Crashes of existing runs are still counted.
      </p>
      <Scroller class="table" label="Quotas">
        <table>
          <thead>
            <tr>
              <th scope="col">Quota of</th>
              <th scope="col">Project</th>
              <th scope="col">Door</th>
              {['New runs this hour', 'Open runs', 'Stored', 'Refused'].map((name) => (
                <th key={name} scope="col" class="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.slice(0, MAX).map((entry) => (
              <Row key={`${entry.scope} ${entry.project} ${entry.door} ${entry.key}`} entry={entry} />
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  );
}

function Row({ entry: { scope, project, door, key, used, limits, refused } }: { readonly entry: Quota }) {
  const of = (name: keyof Quota['used'], format: (value: number) => string) =>
    limits === null ? format(used[name]) : `${format(used[name])} of ${format(limits[name])}`;
  return (
    <tr data-refused={refused > 0 ? '' : undefined}>
      <th scope="row" class="untrusted">
        {key === null ? scope : `key ${visible(key)}`}
      </th>
      <Text as="td" of={project} />
      <td>{door ?? 'all'}</td>
      <td class="num">{of('new_runs', whole)}</td>
      <td class="num">{of('open_runs', whole)}</td>
      <td class="num">{of('bytes', bytes)}</td>
      <td class="num">{refused > 0 ? <b>{whole(refused)}</b> : '0'}</td>
    </tr>
  );
}
