import { type ConnectorContext, CulpritError, defineConnector } from '@culprit/core/connector';
import { openMirrored } from '../git/index.js';
import type { RestClient } from '../shared/hosts/client.js';
import { checkedRepositories } from '../shared/hosts/settings.js';
import { type IssueWebhook, signedEvents } from '../shared/issue-webhook.js';
import { forgejoClient } from './ask.js';
import { checkForgejo } from './check.js';
import { ForgejoCodeHost, mirrorSource, pullRequestReader } from './code-host.js';
import { type ForgejoConfig, forgejoConfig, repositoryName, SCHEME } from './config.js';
import { ForgejoPublisher } from './publisher.js';

export type { IssueWebhook, IssueWebhookRequest } from '../shared/issue-webhook.js';

/**
 * Forgejo and Gitea as code host and publisher. Code is read from bare copies that git fetches with the token, issues through the
 * REST API. Needs the scopes read:repository, read:user and write:issue.
 */
export const forgejo = defineConnector({
  id: 'forgejo',
  config: forgejoConfig,
  setup(config, context) {
    const { url, token, publishToken = token, only, tryWriting } = config;
    const reader = forgejoClient(token, config, context.fetch);
    const writer = forgejoClient(publishToken, config, context.fetch);
    const checked = { url, reader, writer, tryWriting, ...checkedRepositories(config) };
    return {
      ...(only === 'publisher' ? {} : codeHostOf(config, reader, context)),
      ...(only === 'codeHost' ? {} : { publisher: new ForgejoPublisher(writer, context) }),
      check: (signal) => checkForgejo(checked, signal),
    };
  },
});

function codeHostOf(config: ForgejoConfig, client: RestClient, context: ConnectorContext) {
  const { url, token, mirrorDirectory, fetchTimeoutMs: timeoutMs, buildGraphs, repositories } = config;
  if (mirrorDirectory === undefined)
    throw new CulpritError('configuration', 'Connector forgejo: mirrorDirectory is missing.', {
      path: 'mirrorDirectory',
    });
  const authorization = `Basic ${Buffer.from(`culprit:${token}`).toString('base64')}`;
  const mirrored = openMirrored(context, {
    ...{ directory: mirrorDirectory, url, timeoutMs, buildGraphs, repositories },
    nameOf: repositoryName,
    source: (repository) => mirrorSource(client, { url, authorization, repository }),
  });
  const pullRequests = pullRequestReader(client, url, mirrored.mirrors, context);
  return { codeHost: new ForgejoCodeHost({ url, mirrored, pullRequests }), close: mirrored.close };
}

/** `Fixes #12`, `closes acme/shop#12`. The words are the server's defaults. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,9})\b/gi;

/**
 * Verifies the signature over the raw bytes with one of the secrets: the HMAC-SHA256 as hexadecimal text, which Forgejo sends as
 * `X-Forgejo-Signature` and both as `X-Gitea-Signature`.
 */
export function forgejoWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  return signedEvents('forgejo', {
    secrets,
    signature: (headers) => headers['x-forgejo-signature'] ?? headers['x-gitea-signature'] ?? '',
    signedBy: 'X-Forgejo-Signature',
    event: (headers) => headers['x-forgejo-event'] ?? headers['x-gitea-event'],
    *fixed(text, repository) {
      for (const [, name, digits] of text.matchAll(CLOSING))
        yield { repository: `${SCHEME}${name ?? repository}`, number: Number(digits) };
    },
  });
}
