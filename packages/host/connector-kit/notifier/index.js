// @ts-check
import { CulpritError, defineConnector, sanitiseText, secret } from '@culprit/core/connector';
import * as v from 'valibot';

/** Where the host runs this connector: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/** Notifies people that a run waits at a gate or has changed its state. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.strictObject({ url: v.pipe(v.string(), v.url()), token: secret() }),
  setup: ({ url, token }, { fetch }) => ({
    notifier: {
      // Called at least once for each lasting state. A repeated call must be harmless.
      async notify(run, signal) {
        const text = sanitiseText(`[${run.state}] ${run.title}`).value.slice(0, 300);
        const answer = await fetch(url, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ run: run.run_id, text }),
          redirect: 'error',
          signal,
        });
        if (answer.ok) return;
        const retryable = answer.status === 429 || answer.status >= 500;
        throw new CulpritError('notifier_failed', `NAME returned ${answer.status}.`, { retryable });
      },
    },
  }),
});
