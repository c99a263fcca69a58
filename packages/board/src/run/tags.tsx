import type { Run } from '@culprit/core';
import { Marked } from '../parts/marked.js';
import { visible } from '../parts/text.js';

/** Tags and other metadata of the event. */
export function Tags({ run }: { readonly run: Run }) {
  const { tags, transaction, server_name, logger, sdk, trimmed } = run.event;
  const rows = [
    ...Object.entries(tags),
    ...Object.entries({ transaction, server: server_name, logger }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    ),
    ...(sdk === null ? [] : [['sdk', `${sdk.name} ${sdk.version}`] as const]),
    ...(trimmed.length === 0 ? [] : [['truncated', trimmed.join(', ')] as const]),
  ];
  if (rows.length === 0) return null;
  return (
    <dl class="tags">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt class="untrusted">{visible(name)}</dt>
          <dd class="untrusted">
            <Marked text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
