import type { Quota } from '@culprit/client';
import { api } from '../api.js';
import { bytes, whole } from '../format.js';
import { Section } from '../parts/page.js';
import { type Column, Table } from '../parts/resource.js';
import { Text, visible } from '../parts/text.js';
import { useResource } from '../parts/use-resource.js';

const AGAIN_MS = 5_000;
/** Rows shown; core lists those that refused most first. */
const MAX = 50;

/** What each key, door and project has stored, and the new crashes that a quota refused. */
export function Quotas() {
  const { found } = useResource(async () => (await api.listQuotas()).quotas, '', AGAIN_MS);
  if (found === null || found.length === 0) return null;
  return (
    <Section title="Quotas" panel>
      <p class="soft">
        A new crash beyond a quota starts no run. Crashes of existing runs are still counted.
      </p>
      <Table
        label="Quotas"
        columns={COLUMNS}
        rows={found.slice(0, MAX)}
        keyOf={({ scope, project, door, key }) => `${scope} ${project} ${door} ${key}`}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<Quota>[] = [
  { name: 'Quota of', cell: ({ key, scope }) => (key === null ? scope : `key ${visible(key)}`) },
  { name: 'Project', cell: ({ project }) => <Text of={project} /> },
  { name: 'Door', cell: ({ door }) => <Text of={door ?? 'all'} /> },
  used('New runs this hour', 'new_runs', whole),
  used('Open runs', 'open_runs', whole),
  used('Stored', 'bytes', bytes),
  { name: 'Refused', numeric: true, cell: ({ refused }) => <Refused count={refused} /> },
];

function used(name: string, what: keyof Quota['used'], format: (value: number) => string): Column<Quota> {
  const cell = ({ used, limits }: Quota) =>
    limits === null ? format(used[what]) : `${format(used[what])} of ${format(limits[what])}`;
  return { name, numeric: true, cell };
}

/** A count that stands out unless it is zero. */
export function Refused({ count }: { readonly count: number }) {
  return count > 0 ? <b class="warn">{whole(count)}</b> : <>0</>;
}
