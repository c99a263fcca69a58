import { CulpritError } from '@culprit/core';
import type * as v from 'valibot';
import { matchingSecret } from '../shared/hmac.js';
import {
  type FixedIssue,
  type IssueWebhook,
  issuesEvent,
  issuesFixed,
  pullRequestEvent,
  readEvent,
} from '../shared/issue-webhook.js';
import { SCHEME } from './config.js';

const NO_EVENT =
  'The body is not an event of issues or pull requests. Set the content type of the webhook to application/json.';

/** `Fixes #12`, `closes acme/shop#12`. The words are the server's defaults. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,9})\b/gi;

/**
 * Verifies the signature over the raw bytes with one of the secrets: the HMAC-SHA256 as hexadecimal text, which Forgejo sends as
 * `X-Forgejo-Signature` and both as `X-Gitea-Signature`. An event is only a reason to read the issue again: what it says is not
 * trusted, and repeated or late events do no harm.
 */
export function forgejoWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  const keys = secrets.map((secret) => ({ project: 'forgejo', secret }));
  return {
    async receive(engine, { headers, body }) {
      const named = (name: string) => headers[`x-forgejo-${name}`] ?? headers[`x-gitea-${name}`] ?? '';
      const given = /^[0-9a-f]{64}$/.test(named('signature'))
        ? Buffer.from(named('signature'), 'hex')
        : Buffer.of();
      if (matchingSecret(keys, [body], given) === null)
        throw new CulpritError('unauthenticated', 'X-Forgejo-Signature does not match the webhook secret.');
      if (named('event') === 'issues')
        return engine.issueChanged(readEvent(issuesEvent, body, NO_EVENT).issue.body ?? '');
      if (named('event') !== 'pull_request') return null;
      const event = readEvent(pullRequestEvent, body, NO_EVENT);
      if (event.action !== 'closed' || event.pull_request.merged !== true) return null;
      return issuesFixed(engine, fixedIssues(event));
    },
  };
}

/** The issues that the server closes when the pull request is merged into the default branch. */
function* fixedIssues({
  pull_request,
  repository,
}: v.InferOutput<typeof pullRequestEvent>): Generator<FixedIssue> {
  const text = `${pull_request.title}\n${pull_request.body ?? ''}`;
  for (const [, name, digits] of text.matchAll(CLOSING)) {
    yield { repository: `${SCHEME}${name ?? repository.full_name}`, number: Number(digits) };
  }
}
