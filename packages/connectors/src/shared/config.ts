import { secret } from '@culprit/core/connector';
import * as v from 'valibot';

export const projectName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a project name: letters, digits, ".", "_" and "-"'),
);

export const positiveInteger = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Secrets by project. Two may be active for one project during a rotation. An empty list closes the endpoint. */
export const projectSecrets = v.array(v.strictObject({ project: projectName, secret: secret() }));
