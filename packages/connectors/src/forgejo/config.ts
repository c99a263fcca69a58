import { CulpritError, secret } from '@culprit/core/connector';
import * as v from 'valibot';
import { positiveInteger } from '../shared/config.js';
import { only } from '../shared/hosts/settings.js';
import { ownSettings, serverUrl } from '../shared/own-settings.js';

export const forgejoConfig = v.strictObject({
  /** Base address of the server, as in its setting `ROOT_URL`. */
  url: serverUrl,
  /** Access token with read:repository and read:user; also write:issue unless `publishToken` is given. */
  token: secret(),
  /** Used only for issues and labels: write:issue and read:user. */
  publishToken: v.optional(secret()),
  only,
  /** Folder for copies of the repositories. Needed unless `only` is `publisher`. */
  mirrorDirectory: v.optional(v.pipe(v.string(), v.nonEmpty())),
  /** Repositories that are copied at once, before the first crash. */
  repositories: v.optional(v.array(v.string()), []),
  /** True: commit graphs are built in `mirrorDirectory`, in the background, which make blame of long histories faster. */
  buildGraphs: v.optional(v.boolean(), true),
  /** Only for `check()`: a repository whose code is read. */
  repository: v.optional(v.string()),
  /** Only for `check()`: a repository in which issues are created. Default: `repository`. */
  publishRepository: v.optional(v.string()),
  /** True: `check()` also submits an issue that the server must reject, to test write access. For `culprit doctor`. */
  tryWriting: v.optional(v.boolean(), false),
  /** Time limit of one request. */
  timeoutMs: v.optional(positiveInteger, 20_000),
  /** Time limit of one fetch of a repository. */
  fetchTimeoutMs: v.optional(positiveInteger, 30 * 60_000),
});
export type ForgejoConfig = v.InferOutput<typeof forgejoConfig>;

/** The members that an operator sets. */
export const forgejoSettings = ownSettings(forgejoConfig.entries, {
  forgejoUrl: {
    of: 'url',
    format: 'URL',
    meaning: 'Base address of the Forgejo or Gitea server that has the repositories forgejo:owner/name.',
  },
  forgejoToken: {
    of: 'token',
    secret: true,
    format: 'token',
    meaning:
      'Access token for repositories on Forgejo or Gitea. Needs read:repository and, without FORGEJO_PUBLISH_TOKEN, read:user and write:issue.',
  },
  forgejoPublishToken: {
    of: 'publishToken',
    secret: true,
    format: 'token',
    otherwise: 'FORGEJO_TOKEN',
    meaning: 'A second token, only for issues and labels: write:issue and read:user.',
  },
});

/** What precedes `owner/name` in an address. */
export const SCHEME = 'forgejo:';
const ADDRESS = /^(?:forgejo:|gitea:)?((?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100})$/;

/** `owner/name` of an address. */
export function repositoryName(address: string): string {
  const name = ADDRESS.exec(address)?.[1];
  if (name !== undefined) return name;
  const shown = JSON.stringify(address.slice(0, 100));
  throw new CulpritError(
    'repository_not_found',
    `${shown} is not a repository of the form forgejo:owner/name.`,
  );
}
