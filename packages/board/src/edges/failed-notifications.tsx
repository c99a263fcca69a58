import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.js';
import { ago, plural } from '../format.js';
import { STATES } from '../parts/pill.js';
import { visible } from '../parts/text.js';
import { announcement, report } from '../state/session.js';
import { failedNotifications, readFailedNotifications } from '../state/trouble.js';

const AGAIN_MS = 5_000;

/** Notifications that Culprit has given up, with a retry for each. Absent if there are none. */
export function FailedNotifications() {
  const queued = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const read = () => void readFailedNotifications().catch(report);
    read();
    const timer = window.setInterval(read, AGAIN_MS);
    return () => window.clearInterval(timer);
  }, []);
  const all = failedNotifications.value;
  if (all.length === 0) return null;
  const retry = async (connector: string, runId: string, key: string) => {
    try {
      await api.retryNotification({ connector, run_id: runId });
      queued.value = new Set(queued.value).add(key);
      announcement.value = 'Queued. A success removes the notification from this list.';
    } catch (error) {
      report(error);
    }
  };
  return (
    <section class="quotas" aria-labelledby="failed-notifications">
      <h3 id="failed-notifications">
        Failed notifications{' '}
        <span class="pill" data-tone="red">
          {plural(all.length, 'run')}
        </span>
      </h3>
      <ul class="letters">
        {all.map(({ connector, run_id, state, at, attempts, code, detail }) => {
          const key = `${connector} ${run_id} ${at}`;
          return (
            <li key={key}>
              <p class="untrusted">
                <b>{visible(connector)}</b>: <a href={`#${run_id}`}>{visible(run_id)}</a>{' '}
                <span class="soft">
                  {STATES[state].words}, {plural(attempts, 'attempt')}, given up{' '}
                  <time dateTime={at}>{ago(at)}</time>
                </span>
                <br />
                <code>{visible(code)}</code> {visible(detail)}
              </p>
              <button
                type="button"
                class="button small"
                disabled={queued.value.has(key)}
                aria-label={`Retry ${visible(connector)} for ${visible(run_id)}`}
                onClick={() => void retry(connector, run_id, key)}
              >
                {queued.value.has(key) ? 'Queued' : 'Retry'}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
