import { secret } from '@culprit/core/connector';
import * as v from 'valibot';
import { only, serverUrl } from '../shared/hosts/settings.js';

/** `gitlab:group/project`, with any number of subgroups. */
export const ADDRESS = /^gitlab:(?:[\w-][\w.-]{0,254}\/){1,20}[\w-][\w.-]{0,254}$/;

const address = v.pipe(v.string(), v.regex(ADDRESS, 'must be gitlab:group/project'));

export const gitlabConfig = v.strictObject({
  /**
   * A personal, project or group access token, or a token of an OAuth application: scope read_api to read code, api to create
   * issues.
   */
  token: secret(),
  /** Used only for issues: scope api. Default: `token`. */
  publishToken: v.optional(secret()),
  /** Address of the server, without `/api/v4`. */
  url: v.optional(serverUrl, 'https://gitlab.com'),
  only,
  /** True: only members of the project see the issues. */
  confidential: v.optional(v.boolean(), false),
  /** Only for `check()`; each run names its own repository. */
  repository: v.optional(address),
  /** Project whose issues `check()` tests. Default: `repository`. */
  publishRepository: v.optional(address),
  /** Time limit of one request. GitLab's own limit is a minute. */
  timeoutMs: v.optional(v.pipe(v.number(), v.minValue(100)), 30_000),
});
export type GitlabConfig = v.InferOutput<typeof gitlabConfig>;
