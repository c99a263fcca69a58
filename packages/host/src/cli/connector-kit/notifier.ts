export const NOTIFIER_INDEX = `// @ts-check
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
        const text = sanitiseText('[' + run.state + '] ' + run.title).value.slice(0, 300);
        const answer = await fetch(url, {
          method: 'POST',
          headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
          body: JSON.stringify({ run: run.run_id, text }),
          redirect: 'error',
          signal,
        });
        if (answer.ok) return;
        const retryable = answer.status === 429 || answer.status >= 500;
        throw new CulpritError('notifier_failed', 'NAME returned ' + answer.status + '.', { retryable });
      },
    },
  }),
});
`;

export const NOTIFIER_SUBJECT = `import { silentLogger } from '@culprit/core/connector';
import { notifierContract } from '@culprit/core/testing';
import { connector } from './index.js';

export const suite = notifierContract;
/** The server is a function here: a connector must use only the \`fetch\` that setup receives. */
export const make = async () => {
  /** @type {string[]} */
  const sent = [];
  const other = async (/** @type {unknown} */ _url, /** @type {RequestInit} */ init) => {
    init.signal?.throwIfAborted();
    sent.push(String(init.body));
    return new Response(null, { status: 204 });
  };
  const context = {
    fetch: /** @type {typeof fetch} */ (other),
    logger: silentLogger,
    signal: new AbortController().signal,
  };
  const { notifier } = await connector({ url: 'https://chat.example.com', token: 'the-token' }).setup(context);
  if (!notifier) throw new Error('setup returned no notifier');
  return { notifier, sent: () => sent.join('\\n') };
};
`;
