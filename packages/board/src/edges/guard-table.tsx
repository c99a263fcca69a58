import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { useSignal } from '@preact/signals';
import { bytes, plural, span, whole } from '../format.js';
import { Pill } from '../parts/pill.js';
import { Scroller } from '../parts/scroller.js';
import { visible } from '../parts/text.js';

/** The guards of an edge, with their limit, peak and counters. Those that refused nothing are folded. */
export function GuardTable({ limits }: { readonly limits: unknown }) {
  const all = useSignal(false);
  const rows = Array.isArray(limits) ? limits.map(objectOf) : [];
  if (rows.length === 0) return null;
  const refusing = rows.filter(({ refused }) => numberOf(refused) > 0);
  const shown = all.value ? rows : refusing;
  const quiet = rows.length - refusing.length;
  return (
    <>
      <h4>Guards</h4>
      {quiet > 0 && (
        <button
          type="button"
          class="button small fold-guards"
          aria-expanded={all.value}
          onClick={() => {
            all.value = !all.value;
          }}
        >
          {all.value ? 'Hide' : 'Show'} {plural(quiet, 'guard')} without a refusal
        </button>
      )}
      {shown.length > 0 && <Guards rows={shown} />}
    </>
  );
}

function Guards({ rows }: { readonly rows: readonly Readonly<Record<string, unknown>>[] }) {
  return (
    <Scroller class="table" label="Guards">
      <table>
        <thead>
          <tr>
            <th scope="col">Guard</th>
            <th scope="col">Door</th>
            {['Limit', 'Peak', 'Allowed', 'Refused', 'Active keys'].map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <GuardRow key={`${row.name} ${row.door}`} row={row} />
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function GuardRow({ row }: { readonly row: Readonly<Record<string, unknown>> }) {
  const unit = textOf(row.unit) ?? '';
  const refused = numberOf(row.refused);
  const count = (value: unknown) => (typeof value === 'number' ? whole(value) : '–');
  return (
    <tr data-refused={refused > 0 ? '' : undefined}>
      <th scope="row" class="untrusted">
        {visible((textOf(row.name) ?? '').replaceAll('_', ' '))}
      </th>
      <td>{visible(textOf(row.door) ?? 'all')}</td>
      <td class="num">{inUnit(row.value, unit)}</td>
      <td class="num">{inUnit(row.largest, unit)}</td>
      <td class="num">{count(row.allowed)}</td>
      <td class="num">{refused > 0 ? <b>{whole(refused)}</b> : '0'}</td>
      <td class="num">{count(row.active_keys)}</td>
    </tr>
  );
}

const UNITS: Readonly<Record<string, string>> = { per_second: '/s', requests: '', burst: ' burst' };

function inUnit(value: unknown, unit: string): string {
  if (typeof value !== 'number') return '–';
  if (unit === 'bytes') return bytes(value);
  if (unit === 'ms') return span(value);
  return `${whole(value)}${UNITS[unit] ?? ` ${visible(unit)}`}`;
}

/** Outcomes of deliveries by door. */
export function Outcomes({ outcomes, dropped }: { readonly outcomes: unknown; readonly dropped: unknown }) {
  const doors = Object.entries(objectOf(outcomes)).map(([door, counts]) => ({
    door,
    counts: Object.entries(objectOf(counts)).filter(([, count]) => numberOf(count) > 0),
  }));
  const ignored = Object.entries(objectOf(dropped)).filter(([, count]) => numberOf(count) > 0);
  return (
    <>
      <h4>Outcomes</h4>
      <dl class="outcomes">
        {doors.map(({ door, counts }) => (
          <div key={door}>
            <dt>{visible(door)}</dt>
            <dd>
              {counts.length === 0 && <span class="soft">no deliveries</span>}
              {counts.map(([name, count]) => (
                <Pill key={name} tone={name === 'accepted' ? 'green' : 'amber'}>
                  {visible(name.replaceAll('_', ' '))} <b class="num">{whole(numberOf(count))}</b>
                </Pill>
              ))}
            </dd>
          </div>
        ))}
        {ignored.length > 0 && (
          <div>
            <dt>ignored items</dt>
            <dd>
              {ignored.map(([name, count]) => (
                <Pill key={name}>
                  {visible(name)} <b class="num">{whole(numberOf(count))}</b>
                </Pill>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}
