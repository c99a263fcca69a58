import * as v from 'valibot';
import { accessEntries } from './session.js';

const instant = v.pipe(v.string(), v.description('ISO 8601.'));

/** One signed-in browser. */
export const listedSessionSchema = v.object({
  session_id: v.string(),
  name: v.string(),
  current: v.pipe(v.boolean(), v.description('The session of this request.')),
  signed_in_with: v.picklist(['token', 'provider']),
  ...accessEntries,
  program: v.pipe(v.string(), v.description('`Firefox on Linux`, or `unknown`.')),
  network: v.picklist(['loopback', 'private', 'public']),
  opened_at: instant,
  seen_at: v.pipe(v.string(), v.description('ISO 8601; exact to five minutes.')),
  expires_at: instant,
});
