import { silentLogger } from '@culprit/core/connector';
import { notifierContract } from '@culprit/core/testing';
import { connector } from './index.js';

export const suite = notifierContract;
/** The server is a function here: a connector must use only the `fetch` that setup receives. */
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
  const { notifier } = await connector({ url: 'https://chat.example.com', token: 'the-token' }).setup(
    context,
  );
  if (!notifier) throw new Error('setup returned no notifier');
  return { notifier, sent: () => sent.join('\n') };
};
