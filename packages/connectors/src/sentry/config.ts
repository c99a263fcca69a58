import { secret } from '@culprit/core';
import * as v from 'valibot';
import { SENTRY_LIMITS } from './limits.js';

export const sentryConfig = v.object({
  /** DSN public keys; several may be active for one project, one key belongs to one project. None: the door is closed. */
  keys: v.pipe(
    v.array(
      v.object({
        project: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a project’s name')),
        // What an SDK's DSN grammar lets through as user name.
        key: v.pipe(secret(), v.regex(/^\w{1,128}$/, 'must be letters, digits and _')),
      }),
    ),
    v.check(
      (keys) => new Set(keys.map(({ key }) => key)).size === keys.length,
      'must not hold one key twice; a key belongs to one project',
    ),
  ),
  /** DSNs that `/tunnel` takes, as `host[:port]/project`. None: the tunnel is closed. */
  tunnels: v.optional(
    v.array(
      v.pipe(v.string(), v.toLowerCase(), v.regex(/^[^/@\s]+\/[^/\s]+$/, 'must be host[:port]/project')),
    ),
    [],
  ),
  /** Bytes of one event item, after decompression, unless the receiver says otherwise. */
  eventBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), SENTRY_LIMITS.eventBytes),
});
export type SentryConfig = v.InferOutput<typeof sentryConfig>;
