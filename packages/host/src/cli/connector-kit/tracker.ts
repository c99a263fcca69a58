/** Text of `index.js`; `NAME` and `FACTORY` are filled in. */
export const TRACKER_INDEX = `// @ts-check
import { createHash, timingSafeEqual } from 'node:crypto';
import { CulpritError, defineConnector, secret } from '@culprit/core';
import * as v from 'valibot';

/** Tells the host, before setup, where this belongs: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/** Deliveries come to POST /webhook/NAME. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.object({
    /** What the sender puts into the header x-NAME-token. Absent: the door is closed. */
    token: v.optional(secret()),
    project: v.optional(v.string(), 'default'),
  }),
  setup: (config) => ({ tracker: { verify: (delivery) => verify(config, delivery), parse } }),
});

const sha256 = (/** @type {string} */ text) => createHash('sha256').update(text).digest();

/**
 * Looks at headers, query and raw bytes only, in constant time, and never throws. Where the sender signs its bodies,
 * compare an HMAC over delivery.body here instead.
 * @param {{ token?: string | undefined, project: string }} config
 * @param {import('@culprit/core').RawDelivery} delivery
 * @returns {import('@culprit/core').Verification}
 */
function verify({ token, project }, { headers }) {
  const given = headers['x-NAME-token'] ?? '';
  if (token !== undefined && given !== '' && timingSafeEqual(sha256(given), sha256(token))) {
    return { ok: true, project, credential: 'NAME' };
  }
  return { ok: false, status: 401, reason: 'The header x-NAME-token holds no active token.' };
}

/**
 * Called only on verified bytes. Map the sender's shape to a crash object here: message, and where there is one
 * stack (the printed text) or stack_trace: { frames: [{ file, line, function }] }, oldest first.
 * @param {import('@culprit/core').RawDelivery} delivery
 * @returns {import('@culprit/core').ParsedDelivery}
 */
function parse({ body }) {
  const alert = readObject(body);
  if (typeof alert.message !== 'string' || alert.message === '') {
    throw new CulpritError('malformed', 'message must be a text.', { path: 'message' });
  }
  const stack = typeof alert.stack === 'string' ? { stack: alert.stack } : {};
  const crash = { message: alert.message, ...stack };
  return { crashes: [{ event_id: null, crash, attachments: [] }], ignored: {}, event_id: null };
}

/** @param {Uint8Array} body @returns {Record<string, unknown>} */
function readObject(body) {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below, without repeating the text.
  }
  throw new CulpritError('malformed', 'The body must be one JSON object in UTF-8.');
}
`;

export const TRACKER_SUBJECT = `import { silentLogger } from '@culprit/core';
import { trackerContract } from '@culprit/core/testing';
import { connector } from './index.js';

const encode = (/** @type {unknown} */ value) => new TextEncoder().encode(JSON.stringify(value));
const context = { fetch, logger: silentLogger, signal: new AbortController().signal };
const trackerOf = async (/** @type {object} */ config) => {
  const { tracker } = await connector(config).setup(context);
  if (!tracker) throw new Error('setup returned no tracker');
  return tracker;
};

/** A delivery as the sender makes it: replace it with one you have recorded. */
const valid = {
  method: 'POST',
  path: '/webhook/NAME',
  params: {},
  query: {},
  headers: { 'x-NAME-token': 'the-token' },
  body: encode({ message: 'TypeError: no price', stack: 'TypeError: no price\\n    at total (src/cart.js:3:9)' }),
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
  // true where the credential is made over the body
  coversBody: false,
  // the file and line where this crash ended; null where the sender tells no stack
  crashedAt: 'src/cart.js:3',
});
`;
