import { secret } from '@culprit/core/connector';
import * as v from 'valibot';
import { mirror, only } from '../shared/hosts/settings.js';
import { ownSettings, serverUrl } from '../shared/own-settings.js';

/** `gitlab:group/project`, with any number of subgroups. */
export const ADDRESS = /^gitlab:(?:[\w-][\w.-]{0,254}\/){1,20}[\w-][\w.-]{0,254}$/;

const address = v.pipe(v.string(), v.regex(ADDRESS, 'must be gitlab:group/project'));

export const gitlabConfig = v.strictObject({
  /** Scope read_api to read code, api to create issues. */
  token: secret(),
  /** Used only for issues: scope api. Default: `token`. */
  publishToken: v.optional(secret()),
  /** Address of the server, without `/api/v4`. */
  url: v.optional(serverUrl, 'https://gitlab.com'),
  only,
  /** `token` then needs the scope read_repository too, unless it has api. */
  mirror,
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

/** The members that an operator sets. */
export const gitlabSettings = ownSettings(gitlabConfig.entries, {
  gitlabToken: {
    of: 'token',
    secret: true,
    format: 'token',
    meaning:
      'Personal, project, group or OAuth access token for projects on GitLab. Needs the role Reporter and the scope read_api or, without GITLAB_PUBLISH_TOKEN, api.',
  },
  gitlabPublishToken: {
    of: 'publishToken',
    secret: true,
    format: 'token',
    otherwise: 'GITLAB_TOKEN',
    meaning: 'A second token, only for issues: scope api.',
  },
  gitlabUrl: {
    of: 'url',
    format: 'URL',
    otherwise: 'https://gitlab.com',
    meaning: 'Base address of a self-managed GitLab, without /api/v4.',
  },
  gitlabConfidential: {
    of: 'confidential',
    format: '0 or 1',
    meaning: '1: only members of the project see the issues that Culprit creates on GitLab.',
  },
});
