import { secret } from '@culprit/core';
import * as v from 'valibot';

const project = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a project’s name'));

export const bugsinkConfig = v.object({
  /** Bugsink's "Secret Value" for each project; two may be active while one is changed. None: the door is closed. */
  secrets: v.optional(v.array(v.object({ project, secret: secret() })), []),
  /** Bugsink's "Secret Header Name". */
  header: v.optional(
    v.pipe(v.string(), v.toLowerCase(), v.regex(/^[a-z0-9-]{1,100}$/, 'must be a header’s name')),
    'x-webhook-secret',
  ),
});
export type BugsinkConfig = v.InferOutput<typeof bugsinkConfig>;
