// @ts-check
import { createHash, timingSafeEqual } from 'node:crypto';
import { CulpritError, defineConnector, secret } from '@culprit/core/connector';
import * as v from 'valibot';

/** Where the host runs this connector: trackers run at the edge, all others in core. */
export const ports = ['PORT'];

/** Receives deliveries at POST /webhook/NAME. */
export const connector = defineConnector({
  id: 'NAME',
  config: v.strictObject({
    /** Value of the sender's header x-NAME-token. Absent: the door is closed. */
    token: v.optional(secret()),
    project: v.optional(v.string(), 'default'),
  }),
  setup: (config) => ({ tracker: { verify: (delivery) => verify(config, delivery), parse } }),
});

const sha256 = (/** @type {string} */ text) => createHash('sha256').update(text).digest();

/**
 * Reads only headers, query and raw bytes, compares in constant time, and never throws. If the sender signs its bodies,
 * compare an HMAC over delivery.body instead.
 * @param {{ token?: string | undefined, project: string }} config
 * @param {import('@culprit/core/connector').RawDelivery} delivery
 * @returns {import('@culprit/core/connector').Verification}
 */
function verify({ token, project }, { headers }) {
  const given = headers['x-NAME-token'] ?? '';
  if (token !== undefined && given !== '' && timingSafeEqual(sha256(given), sha256(token))) {
    return { ok: true, project, credential: 'NAME' };
  }
  return { ok: false, status: 401, reason: 'The header x-NAME-token does not contain an active token.' };
}

/**
 * Called only on verified bytes. Maps the sender's format to a crash object: message, and optionally
 * stack (the printed text) or stack_trace: { frames: [{ file, line, function }] }, oldest first.
 * @param {import('@culprit/core/connector').RawDelivery} delivery
 * @returns {import('@culprit/core/connector').ParsedDelivery}
 */
function parse({ body }) {
  const alert = readObject(body);
  if (typeof alert.message !== 'string' || alert.message === '') {
    throw new CulpritError('malformed', 'message must be text.', { path: 'message' });
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
    // Reported below, without repeating the text.
  }
  throw new CulpritError('malformed', 'The body must be one JSON object in UTF-8.');
}
