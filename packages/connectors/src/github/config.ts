import { secret, type Tree } from '@culprit/core/connector';
import * as v from 'valibot';
import { mirror, only } from '../shared/hosts/settings.js';
import { ownSettings, serverUrl } from '../shared/own-settings.js';

const name = v.pipe(v.string(), v.regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'must be owner/name'));

/** A GitHub App: its id or client id, and its private key as PEM. It needs Contents: read, Issues: write and Metadata: read. */
const app = v.strictObject({ id: v.pipe(v.string(), v.minLength(1)), privateKey: secret() });

const members = v.strictObject({
  /** Fine-grained token with Contents: read and Metadata: read; also Issues: write unless `publishToken` is given. */
  token: v.optional(secret()),
  /** Instead of `token`. */
  app: v.optional(app),
  /** Used only for issues and labels: Issues: write and Metadata: read. */
  publishToken: v.optional(secret()),
  /** A user's token that may assign Copilot's coding agent: Actions, Contents, Issues and Pull requests: write. Absent: nobody can. */
  agentToken: v.optional(secret()),
  /** `https://api.github.com`, or `https://HOST/api/v3` on an Enterprise server. */
  apiUrl: v.optional(serverUrl, 'https://api.github.com'),
  only,
  mirror,
  /** Only for `check()`; each run names its own repository. */
  repository: v.optional(name),
  /** Repository whose issues `check()` tests. Default: `repository`. */
  publishRepository: v.optional(name),
  /** Name of the organisation's issue type that every issue gets. Default: none. */
  issueType: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[^\p{Cc}]{1,100}$/u, 'must be the name of an issue type, at most 100 characters'),
    ),
  ),
  /** Only for `check()`: who issues are assigned to. */
  assignees: v.optional(v.array(v.string()), []),
  /** True: `check()` also submits an issue that GitHub must reject, to test write access. For `culprit doctor`; `/readyz` only reads. */
  tryWriting: v.optional(v.boolean(), false),
  /** Time limit of one request. GitHub's own limit is ten seconds. */
  timeoutMs: v.optional(v.pipe(v.number(), v.minValue(100)), 20_000),
});

export const githubConfig = v.pipe(
  members,
  v.check(({ token, app }) => (token === undefined) !== (app === undefined), 'needs either token or app'),
);
export type GithubConfig = v.InferOutput<typeof githubConfig>;

/** The members that an operator sets. */
export const githubSettings = ownSettings(members.entries, {
  githubToken: {
    of: 'token',
    secret: true,
    format: 'token',
    meaning:
      'Fine-grained token for repositories on GitHub, or GITHUB_APP_ID. Needs Contents: read, Metadata: read and, without GITHUB_PUBLISH_TOKEN, Issues: write.',
  },
  githubPublishToken: {
    of: 'publishToken',
    secret: true,
    format: 'token',
    otherwise: 'GITHUB_TOKEN',
    meaning: 'A second token, only for issues and labels: Issues: write and Metadata: read.',
  },
  githubAgentToken: {
    of: 'agentToken',
    secret: true,
    format: 'token',
    otherwise: 'runs cannot be handed to GitHub’s coding agent',
    meaning:
      'A user’s token that assigns Copilot’s coding agent to published issues. Needs Actions, Contents, Issues and Pull requests: write.',
  },
  githubIssueType: {
    of: 'issueType',
    format: 'name',
    meaning: 'Issue type of new issues, such as Bug, in organisations on GitHub that have issue types.',
  },
  githubApiUrl: {
    of: 'apiUrl',
    format: 'URL',
    otherwise: 'https://api.github.com',
    meaning: 'Base URL of GitHub Enterprise Server: https://HOST/api/v3.',
  },
});

/** Base address of GitHub's web pages; GHE.com serves them at `https://NAME.ghe.com`, its API at `https://api.NAME.ghe.com`. */
export function webUrl(apiUrl: string): string {
  if (apiUrl === 'https://api.github.com') return 'https://github.com';
  const { origin, hostname } = new URL(apiUrl);
  return hostname.endsWith('.ghe.com') ? origin.replace('//api.', '//') : origin;
}

const GITHUB = 'https://github.com';
/**
 * On github.com an issue that contains a pull request's address writes a reference into that pull request, except through
 * this host. GHE.com and Enterprise Server have no such host.
 */
const QUIET = 'https://redirect.github.com';

/** Templates of a repository's pages. `web` is the base address of the pages. */
export function linkTemplates(web: string, repository: string): Tree['links'] {
  const base = `${web}/${repository}`;
  return {
    commit: `${base}/commit/{sha}`,
    line: `${base}/blob/{sha}/{path}#L{line}`,
    pull_request: web === GITHUB ? `${QUIET}/${repository}/pull/{number}` : null,
  };
}
