import { about } from '@culprit/core/internal/domain/schema';
import * as v from 'valibot';
import { accessEntries } from './session.js';

const instant = about(v.string(), 'ISO 8601.');

/** One signed-in browser. */
export const listedSessionSchema = v.object({
  session_id: v.string(),
  name: v.string(),
  current: about(v.boolean(), 'The session of this request.'),
  signed_in_with: v.picklist(['token', 'provider']),
  ...accessEntries,
  program: about(v.string(), '`Firefox on Linux`, or `unknown`.'),
  network: v.picklist(['loopback', 'private', 'public']),
  opened_at: instant,
  seen_at: about(v.string(), 'ISO 8601; exact to five minutes.'),
  expires_at: instant,
});
