export const NOTIFIER_INDEX = `// @ts-check
import { CulpritError, defineConnector, sanitiseText, secret } from '@culprit/core';
import * as v from 'valibot';

/** Tells the host, before setup, where this belongs: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/** Tells people that a run waits at a gate, or has moved on. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.object({ url: v.pipe(v.string(), v.url()), token: secret() }),
  setup: ({ url, token }, { fetch }) => ({
    notifier: {
      // Called at least once for each state that lasts; told the same again it must do no harm.
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
        throw new CulpritError('notifier_failed', 'NAME answered ' + answer.status + '.', { retryable });
      },
    },
  }),
});
`;

export const NOTIFIER_SUBJECT = `import { silentLogger } from '@culprit/core';
import { notifierContract } from '@culprit/core/testing';
import { connector } from './index.js';

export const suite = notifierContract;
/** The other side is a function here: a connector reaches the network by the \`fetch\` that it is given, and no other way. */
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
