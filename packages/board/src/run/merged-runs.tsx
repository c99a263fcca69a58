import type { Run } from '@culprit/core';
import { mergedCount } from '@culprit/core/internal/domain/merge';
import { plural } from '../format.js';
import { visible } from '../parts/text.js';
import { addressOfRun } from '../state/route.js';
import { led } from '../state/run.js';

/** The way back for a reader whose address led here, and the runs that were merged into this one. */
export function MergedRuns({ run }: { readonly run: Run }) {
  const way = led.value?.to === run.run_id ? led.value : null;
  const members = (run.members ?? []).filter(({ into }) => into !== null);
  return (
    <>
      {way !== null && (
        <p class="callout" role="status">
          <b>The run you opened is merged into this one:</b>{' '}
          <span class="untrusted">{visible(way.title)}</span>{' '}
          <a href={addressOfRun({ run_id: way.from, state: 'merged' })}>Show the merged run</a>
        </p>
      )}
      {members.length > 0 && run.state !== 'merged' && (
        <p class="merged-runs">
          Counts the crashes of {plural(mergedCount(run), 'merged run')}:{' '}
          {members.map(({ run_id, occurrences }, at) => (
            <span key={run_id}>
              {at > 0 && ', '}
              <a href={addressOfRun({ run_id, state: 'merged' })}>
                <code>{run_id}</code>
              </a>{' '}
              <span class="soft num">{plural(occurrences, 'crash', 'crashes')}</span>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
