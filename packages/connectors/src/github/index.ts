import { defineConnector } from '@culprit/core/connector';
import { openMirrored, withCopies } from '../git/index.js';
import { checkedRepositories, portsOf } from '../shared/hosts/settings.js';
import { type IssueWebhook, signedEvents } from '../shared/issue-webhook.js';
import { keptWhileGood } from '../shared/open-cache.js';
import { appCredential } from './app-credential.js';
import { checkGithub } from './check.js';
import { githubClient, loadOctokit } from './client.js';
import { GithubCodeHost } from './code-host.js';
import { githubConfig, webUrl } from './config.js';
import { mirrorSource } from './mirror-source.js';
import { type Credential, tokenCredential } from './policy.js';
import { GithubPublisher } from './publisher.js';

export type { IssueWebhook, IssueWebhookRequest } from '../shared/issue-webhook.js';

/**
 * GitHub and GitHub Enterprise as code host and publisher. An App or a token reads; the same or a second token writes
 * issues. Needs Contents: read, Metadata: read and Issues: write.
 */
export const github = defineConnector({
  id: 'github',
  config: githubConfig,
  setup: async (config, context) => {
    const { fetch, logger } = context;
    const { app, token = '', publishToken, agentToken, tryWriting, assignees, mirror, only } = config;
    const library = await loadOctokit({ app: app !== undefined });
    const octokit = { library, config, fetch, logger };
    const client = (credential: Credential) => githubClient(credential, octokit);
    const credential = app ? appCredential(app, octokit) : tokenCredential(token);
    const reader = client(credential);
    const writer = publishToken ? client(tokenCredential(publishToken)) : reader;
    const agent = agentToken ? client(tokenCredential(agentToken)) : undefined;
    const parts = { reader, writer, app: app !== undefined, assignees, tryWriting };
    const web = webUrl(config.apiUrl);
    const mirrored =
      mirror === undefined || only === 'publisher'
        ? null
        : openMirrored(context, {
            ...{ ...mirror, url: web, optional: true, nameOf: (repository) => repository },
            source: (repository) => mirrorSource(reader, web, credential, repository),
          });
    const checked = { ...parts, ...checkedRepositories(config) };
    return {
      ...portsOf(
        config,
        () => withCopies(new GithubCodeHost(reader, web, context), mirrored),
        () => new GithubPublisher(writer, config.issueType ?? null, agent),
      ),
      check: keptWhileGood(context, (signal) => checkGithub(checked, signal)),
      close: async () => mirrored?.close(),
    };
  },
});

/** `Fixes #12`, `closes acme/shop#12`, `Resolves: https://github.com/acme/shop/issues/12`. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+(?:https?:\/\/[\w.:-]+\/([\w.-]+\/[\w.-]+)\/issues\/|([\w.-]+\/[\w.-]+)?#)(\d{1,9})\b/gi;

/** Verifies `X-Hub-Signature-256` over the raw bytes with one of the secrets. */
export function githubWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  return signedEvents('github', {
    secrets,
    signature: (headers) => /^sha256=(.*)$/.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '',
    signedBy: 'X-Hub-Signature-256',
    event: (headers) => headers['x-github-event'],
    *fixed(text, repository) {
      for (const [, address, name, digits] of text.matchAll(CLOSING))
        yield { repository: address ?? name ?? repository, number: Number(digits) };
    },
  });
}
