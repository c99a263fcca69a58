import { secret } from '@culprit/core/connector';
import * as v from 'valibot';
import { positiveInteger, projectName } from '../shared/config.js';
import { SENTRY_LIMITS } from './limits.js';

export const sentryConfig = v.strictObject({
  /** DSN public keys. A project may have several; a key belongs to one project. An empty list closes the endpoint. */
  keys: v.pipe(
    v.array(
      v.strictObject({
        project: projectName,
        // The characters that SDKs accept as the user name of a DSN.
        key: v.pipe(secret(), v.regex(/^\w{1,128}$/, 'must consist of letters, digits and _')),
      }),
    ),
    v.check(
      (keys) => new Set(keys.map(({ key }) => key)).size === keys.length,
      'must not contain a key twice; a key belongs to one project',
    ),
  ),
  /** DSNs accepted by `/tunnel`, as `host[:port]/project`. An empty list closes the tunnel. */
  tunnels: v.optional(
    v.array(
      v.pipe(v.string(), v.toLowerCase(), v.regex(/^[^/@\s]+\/[^/\s]+$/, 'must be host[:port]/project')),
    ),
    [],
  ),
  /** Maximum bytes of one event item after decompression, unless the receiver overrides it. */
  eventBytes: v.optional(positiveInteger, SENTRY_LIMITS.eventBytes),
});
export type SentryConfig = v.InferOutput<typeof sentryConfig>;
