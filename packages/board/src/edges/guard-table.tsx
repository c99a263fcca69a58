import { numberOf, objectOf, textOf } from '@culprit/core/internal/domain/edge-figures';
import { useSignal } from '@preact/signals';
import { bytes, plural, span, whole } from '../format.js';
import { Button } from '../parts/button.js';
import { Pill } from '../parts/pill.js';
import { type Column, Table } from '../parts/resource.js';
import { visible } from '../parts/text.js';
import { Refused } from './quotas.js';

/** What the edge has reported of a guard. */
type Guard = Readonly<Record<string, unknown>>;

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
        <p>
          <Button
            small
            aria-expanded={all.value}
            onClick={() => {
              all.value = !all.value;
            }}
          >
            {all.value ? 'Hide' : 'Show'} {plural(quiet, 'guard')} without a refusal
          </Button>
        </p>
      )}
      {shown.length > 0 && (
        <Table label="Guards" columns={COLUMNS} rows={shown} keyOf={({ name, door }) => `${name} ${door}`} />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Guard>[] = [
  { name: 'Guard', cell: ({ name }) => visible((textOf(name) ?? '').replaceAll('_', ' ')) },
  { name: 'Door', cell: ({ door }) => visible(textOf(door) ?? 'all') },
  { name: 'Limit', numeric: true, cell: ({ value, unit }) => inUnit(value, textOf(unit) ?? '') },
  { name: 'Peak', numeric: true, cell: ({ largest, unit }) => inUnit(largest, textOf(unit) ?? '') },
  { name: 'Allowed', numeric: true, cell: ({ allowed }) => countOf(allowed) },
  { name: 'Refused', numeric: true, cell: ({ refused }) => <Refused count={numberOf(refused)} /> },
  { name: 'Active keys', numeric: true, cell: ({ active_keys }) => countOf(active_keys) },
];

function countOf(value: unknown): string {
  return typeof value === 'number' ? whole(value) : '–';
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
  const ignored = countsOf(dropped);
  return (
    <>
      <h4>Outcomes</h4>
      <dl class="outcomes">
        {Object.entries(objectOf(outcomes)).map(([door, counts]) => (
          <div key={door}>
            <dt>{visible(door)}</dt>
            <dd>
              {countsOf(counts).length === 0 && <span class="soft">no deliveries</span>}
              {countsOf(counts).map(([name, count]) => (
                <Pill key={name} tone={name === 'accepted' ? 'green' : 'amber'}>
                  {visible(name.replaceAll('_', ' '))} <b class="num">{whole(count)}</b>
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
                  {visible(name)} <b class="num">{whole(count)}</b>
                </Pill>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

/** Names and counts above zero. */
function countsOf(counts: unknown): readonly (readonly [name: string, count: number])[] {
  return Object.entries(objectOf(counts))
    .map(([name, count]) => [name, numberOf(count)] as const)
    .filter(([, count]) => count > 0);
}
