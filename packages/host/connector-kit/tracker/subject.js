import { silentLogger } from '@culprit/core/connector';
import { trackerContract } from '@culprit/core/testing';
import { connector } from './index.js';

const encode = (/** @type {unknown} */ value) => new TextEncoder().encode(JSON.stringify(value));
const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
const trackerOf = async (/** @type {object} */ config) => {
  const { tracker } = await connector(config).setup(context);
  if (!tracker) throw new Error('setup returned no tracker');
  return tracker;
};

/** A delivery from the sender: replace it with one that you recorded. */
const valid = {
  method: 'POST',
  path: '/webhook/NAME',
  params: {},
  query: {},
  headers: { 'x-NAME-token': 'the-token' },
  body: encode({
    message: 'TypeError: no price',
    stack: 'TypeError: no price\n    at total (src/cart.js:3:9)',
  }),
  receivedAt: Date.now(),
};

export const suite = trackerContract;
export const make = async () => ({
  tracker: await trackerOf({ token: 'the-token' }),
  closed: await trackerOf({}),
  valid,
  project: 'default',
  secret: 'the-token',
  forged: [{ name: 'another token', delivery: { ...valid, headers: { 'x-NAME-token': 'guessed' } } }],
  unreadable: [{ name: 'no message', delivery: { ...valid, body: encode({}) } }],
  // true if the credential covers the body
  coversBody: false,
  // file and line of the crash; null if the sender includes no stack
  crashedAt: 'src/cart.js:3',
});
