import { secret } from '@culprit/core';
import * as v from 'valibot';
import { positiveInteger, projectName } from '../shared/config.js';
import { SENTRY_LIMITS } from './limits.js';

export const sentryConfig = v.strictObject({
  /** DSN public keys; several may be active for one project, one key belongs to one project. None: the door is closed. */
  keys: v.pipe(
    v.array(
      v.strictObject({
        project: projectName,
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
  eventBytes: v.optional(positiveInteger, SENTRY_LIMITS.eventBytes),
});
export type SentryConfig = v.InferOutput<typeof sentryConfig>;
