import type { RunSummary } from '@culprit/core/model';
import { ago, brief, percent, plural } from '../format.js';
import { StatePill } from '../parts/pill.js';
import { Spark } from '../parts/spark.js';
import { visible } from '../parts/text.js';
import { curveOf } from '../state/activity.js';
import { clock } from '../state/clock.js';
import { unseen } from '../state/feed.js';

interface RowProps {
  readonly run: RunSummary;
  readonly selected: boolean;
  readonly manyProjects: boolean;
}

export function Row({ run, selected, manyProjects }: RowProps) {
  const curve = curveOf(run);
  return (
    <a class="row" href={`#${run.run_id}`} aria-current={selected ? 'true' : undefined} data-run={run.run_id}>
      <span class="title">
        {unseen.value.has(run.run_id) && (
          <span class="new">
            <span class="sr">new: </span>
          </span>
        )}
        {visible(run.title)}
      </span>
      <time class="when num" dateTime={run.last_seen} title={run.last_seen}>
        {ago(run.last_seen, clock.value)}
      </time>
      <span class="meta">
        <StatePill state={run.state} />
        <span class="num" title={plural(run.occurrences, 'crash', 'crashes')}>
          ×{brief(run.occurrences)}
          <span class="sr"> crashes</span>
        </span>
        {manyProjects && <span class="untrusted">{visible(run.project)}</span>}
        <span class="lead">{leadOf(run)}</span>
      </span>
      {curve === null ? <span /> : <Spark values={curve} width={60} height={14} unit="crashes in 24 hours" />}
    </a>
  );
}

/** The most important fact besides the title. */
function leadOf(run: RunSummary): string {
  if (run.last_error !== null) return 'last attempt failed';
  const [first] = run.suspects;
  if (first !== undefined && first.verdict !== 'recent')
    return `${first.sha.slice(0, 7)} ${percent(first.probability)}`;
  if (run.publication !== null) return `#${run.publication.number}`;
  if (run.no_suspect !== null) return 'no suspect';
  return run.regression_of === null ? '' : 'regression';
}
