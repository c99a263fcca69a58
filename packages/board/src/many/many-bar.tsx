import { whole } from '../format.js';
import { order } from '../inbox/inbox-state.js';
import { Button } from '../parts/button.js';
import { Key } from '../parts/scroller.js';
import { Text } from '../parts/text.js';
import { keyCap } from '../run/action.js';
import { ALL_ACTIONS } from '../run/actions.js';
import { appliesToMany, startMany, whyNotMany } from './ask-many.js';
import { dismissJob, type Job, job, retryJob, stopJob, undoJob } from './job.js';
import { clearSelection, picking, selectAll, selectedRuns } from './selection.js';

/** The actions that apply to many runs. */
const MANY = ALL_ACTIONS.flatMap(({ key, many }) => (many === undefined ? [] : [{ key, many }]));

/** Below the list: what is selected and what to do with it, then the progress and result of the latest decision on many runs. */
export function ManyBar() {
  const current = job.value;
  if (!picking.value && current === null) return null;
  return (
    <div class="many">
      {current !== null && <JobLine {...current} />}
      {picking.value && <Selection />}
    </div>
  );
}

function Selection() {
  const count = selectedRuns.value.length;
  const all = order.value.length;
  const [why] = MANY.flatMap(({ many }) => whyNotMany(many) ?? []);
  return (
    <section class="picked" aria-label="Selected runs">
      <p>
        <b class="num">{whole(count)}</b> selected{why !== undefined && <span class="soft">. {why}</span>}
      </p>
      <div class="actions">
        {count < all && (
          <Button small onClick={selectAll}>
            Select all {whole(all)} <Key name="*" />
          </Button>
        )}
        {MANY.map(({ key, many }) => (
          <Button
            key={key}
            small
            {...(many.danger && { look: 'danger' })}
            disabled={!appliesToMany(many)}
            onClick={() => startMany(many)}
          >
            {many.label} <Key name={keyCap(key)} />
          </Button>
        ))}
        <button type="button" class="button small quiet" onClick={clearSelection}>
          Clear <Key name="Esc" />
        </button>
      </div>
    </section>
  );
}

function JobLine({ action, total, done, left, running }: Job) {
  const ended = done.length + left.length;
  const unsent = left.filter(({ outcome }) => outcome === 'unsent').length;
  return (
    <section class="job" aria-label="Decision on several runs" aria-busy={running}>
      <p>
        {running
          ? `${action.doing} ${whole(ended)} of ${whole(total)}`
          : `${action.done}: ${whole(done.length)} of ${whole(total)}`}
        {left.length > unsent && <span class="warn">. {whole(left.length - unsent)} failed</span>}
        {!running && unsent > 0 && <span class="warn">. {whole(unsent)} not confirmed</span>}
      </p>
      {running && <progress max={total} value={ended} aria-label={action.doing} />}
      {!running && left.length > 0 && <Left left={left} />}
      <div class="actions">
        {running && (
          <Button small onClick={stopJob}>
            Stop
          </Button>
        )}
        {!running && left.length > 0 && (
          <Button small onClick={() => void retryJob()}>
            Retry {whole(left.length)}
          </Button>
        )}
        {!running && action.undo !== undefined && done.length > 0 && (
          <Button small onClick={undoJob}>
            Undo {whole(done.length)}
          </Button>
        )}
        {!running && (
          <button type="button" class="button small quiet" onClick={dismissJob}>
            Dismiss
          </button>
        )}
      </div>
    </section>
  );
}

/** Failures listed; the others are counted, and retried with them. */
const LISTED = 50;

function Left({ left }: Pick<Job, 'left'>) {
  return (
    <ul class="left">
      {left.slice(0, LISTED).map(({ run, why }) => (
        <li key={run.run_id}>
          <Text as="a" of={run.title} href={`#${run.run_id}`} /> <Text of={why} class="soft" />
        </li>
      ))}
      {left.length > LISTED && <li class="soft">and {whole(left.length - LISTED)} more</li>}
    </ul>
  );
}
