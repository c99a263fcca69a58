import { createHash, timingSafeEqual } from 'node:crypto';
import { CulpritError, defineConnector, secret } from '@culprit/core/connector';
import * as v from 'valibot';

const sha256 = (text) => createHash('sha256').update(text).digest();
const text = (value, otherwise) => (typeof value === 'string' && value !== '' ? value : otherwise);

/** `POST /webhook/till`: a crash report of a till, with its token in `x-till-token`. */
export const till = defineConnector({
  id: 'till',
  config: v.strictObject({ token: v.optional(secret()), project: v.optional(v.string(), 'default') }),
  setup: ({ token, project }) => ({
    tracker: {
      verify({ headers }) {
        const given = headers['x-till-token'] ?? '';
        const known = token !== undefined && given !== '' && timingSafeEqual(sha256(given), sha256(token));
        if (known) return { ok: true, project, credential: 'till' };
        return {
          ok: false,
          status: 401,
          reason: 'The header x-till-token does not contain an active token.',
        };
      },
      parse({ body }) {
        let alarm;
        try {
          alarm = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
        } catch {
          throw new CulpritError('malformed', 'The body must be JSON in UTF-8.');
        }
        if (typeof alarm?.fault !== 'string') {
          throw new CulpritError('malformed', 'fault must be a string.', { path: 'fault' });
        }
        const crash = {
          message: alarm.fault,
          stack: text(alarm.trace, null),
          server_name: text(alarm.till, null),
        };
        return { crashes: [{ event_id: null, crash, attachments: [] }], ignored: {}, event_id: null };
      },
    },
  }),
});
