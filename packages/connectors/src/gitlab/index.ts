import { CulpritError, defineConnector } from '@culprit/core/connector';
import * as v from 'valibot';
import { openMirrored, withCopies } from '../git/index.js';
import { findCredential, fingerprintOf } from '../shared/credentials.js';
import { matchingSecret } from '../shared/hmac.js';
import { checkedRepositories, portsOf } from '../shared/hosts/settings.js';
import {
  type FixedIssue,
  type IssueWebhook,
  type IssueWebhookRequest,
  issuesFixed,
  readEvent,
} from '../shared/issue-webhook.js';
import { keptWhileGood } from '../shared/open-cache.js';
import { webhookKey, webhookParts } from '../shared/standard-webhooks.js';
import { gitlabClient } from './ask.js';
import { checkGitlab } from './check.js';
import { GitlabCodeHost, mirrorSource } from './code-host.js';
import { gitlabConfig } from './config.js';
import { GitlabPublisher } from './publisher.js';

export type { IssueWebhook, IssueWebhookRequest } from '../shared/issue-webhook.js';

/**
 * GitLab.com and self-managed GitLab as code host and publisher. A token reads; the same or a second one writes issues. Addresses are
 * `gitlab:group/project`.
 */
export const gitlab = defineConnector({
  id: 'gitlab',
  config: gitlabConfig,
  setup: (config, context) => {
    const { token, publishToken, url, confidential, mirror, only } = config;
    const reader = gitlabClient(token, config, context.fetch);
    const writer = publishToken ? gitlabClient(publishToken, config, context.fetch) : reader;
    const mirrored =
      mirror === undefined || only === 'publisher'
        ? null
        : openMirrored(context, {
            ...{ ...mirror, url, optional: true, nameOf: (repository) => repository.replace('gitlab:', '') },
            source: (repository) => mirrorSource(reader, { url, token, repository }),
          });
    const checked = { reader, writer, ...checkedRepositories(config) };
    return {
      ...portsOf(
        config,
        () => withCopies(new GitlabCodeHost(reader, url, context), mirrored),
        () => new GitlabPublisher(writer, confidential),
      ),
      check: keptWhileGood(context, (signal) => checkGitlab(checked, signal)),
      close: async () => mirrored?.close(),
    };
  },
});

const NO_EVENT = 'The body is not an event of issues or merge requests.';
const issueEvent = v.object({ object_attributes: v.object({ description: v.nullish(v.string()) }) });
const mergeRequestEvent = v.object({
  object_attributes: v.object({
    action: v.nullish(v.string()),
    title: v.string(),
    description: v.nullish(v.string()),
  }),
  project: v.object({ path_with_namespace: v.string() }),
});

/** GitLab's default closing pattern: `Closes #4, #6 and group/project#7`, `Fixed https://gitlab.example/group/project/-/issues/8`. */
const CLOSING =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?[ \t]{1,4}((?:(?:issues?[ \t]{1,4})?(?:[\w./-]{0,500}#\d{1,9}|https?:\/\/[^\s#]{1,500}\/-\/(?:issues|work_items)\/\d{1,9})[ \t]{0,4},?[ \t]{0,4}(?:and[ \t]{1,4})?)+)/gi;
const REFERENCE =
  /([\w./-]{0,500})#(\d{1,9})|https?:\/\/[^/\s]{1,255}\/([^\s#]{1,500}?)\/-\/(?:issues|work_items)\/(\d{1,9})/g;
/** Of a signing token. Anybody could sign with an empty one. */
const MIN_KEY_BYTES = 16;
/** Signed deliveries may be this old. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Verifies the signature (`webhook-signature`, which newer servers send) with one of the signing tokens, which start with `whsec_`, or
 * `X-Gitlab-Token` with one of the other secrets; a signed request never counts by its token alone. An event is only a reason to read
 * the issue again: what it says is not trusted, and repeated or late events do no harm. Other events are ignored.
 */
export function gitlabWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  const signing = secrets.filter((secret) => secret.startsWith('whsec_'));
  const keys = signing.map((secret) => ({ project: 'gitlab', secret: webhookKey(secret) }));
  if (keys.some(({ secret }) => secret.length < MIN_KEY_BYTES))
    throw new CulpritError(
      'configuration',
      'A signing token of GitLab’s webhook must be whsec_ and the base64 of at least 16 bytes.',
    );
  const tokens = secrets
    .filter((secret) => !signing.includes(secret))
    .map((token) => ({ fingerprint: fingerprintOf(token) }));
  return {
    async receive(engine, { headers, body }) {
      if (keys.length > 0 && headers['webhook-signature'] !== undefined)
        requireSignature(keys, headers, body);
      else if (findCredential(tokens, headers['x-gitlab-token'] ?? '') === null)
        throw new CulpritError('unauthenticated', 'X-Gitlab-Token does not match the webhook secret.');
      switch (headers['x-gitlab-event']) {
        case 'Issue Hook':
        case 'Confidential Issue Hook':
          return engine.issueChanged(
            readEvent(issueEvent, body, NO_EVENT).object_attributes.description ?? '',
          );
        case 'Merge Request Hook': {
          const event = readEvent(mergeRequestEvent, body, NO_EVENT);
          if (event.object_attributes.action !== 'merge') return null;
          return issuesFixed(engine, fixedIssues(event));
        }
        default:
          return null;
      }
    },
  };
}

type Keys = Parameters<typeof matchingSecret>[0];

function requireSignature(keys: Keys, headers: IssueWebhookRequest['headers'], body: Uint8Array): void {
  const timestamp = headers['webhook-timestamp'] ?? '';
  const given = (headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'));
  const parts = webhookParts(headers['webhook-id'] ?? '', timestamp, body);
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (matchingSecret(keys, parts, ...given) === null || !(age <= TOLERANCE_SECONDS))
    throw new CulpritError(
      'unauthenticated',
      'webhook-signature does not match the webhook’s signing token, or the delivery is older than five minutes.',
    );
}

/** The issues that GitLab closes when the merge request is merged into the default branch. */
function* fixedIssues({
  object_attributes: { title, description },
  project,
}: v.InferOutput<typeof mergeRequestEvent>): Generator<FixedIssue> {
  for (const [, list = ''] of `${title}\n${description ?? ''}`.matchAll(CLOSING)) {
    for (const [, path, digits, address, last] of list.matchAll(REFERENCE)) {
      const name = address ?? (path || project.path_with_namespace);
      yield { repository: `gitlab:${name}`, number: Number(digits ?? last) };
    }
  }
}
