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

const NO_EVENT =
  'The body is not an event of issues or pull requests. Set the content type of the webhook to application/json.';

/** `Fixes #12`, `closes acme/shop#12`, `Resolves: https://github.com/acme/shop/issues/12`. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+(?:https?:\/\/[\w.:-]+\/([\w.-]+\/[\w.-]+)\/issues\/|([\w.-]+\/[\w.-]+)?#)(\d{1,9})\b/gi;

/**
 * Verifies `X-Hub-Signature-256` over the raw bytes with one of the secrets. An event is only a reason to read the issue
 * again: what it says is not trusted, and repeated or late events do no harm. A merged pull request is a reason to read the issues
 * that it fixes. Other events are ignored.
 */
export function githubWebhook({ secrets }: { readonly secrets: readonly string[] }): IssueWebhook {
  const keys = secrets.map((secret) => ({ project: 'github', secret }));
  return {
    async receive(engine, { headers, body }) {
      const given = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '';
      if (matchingSecret(keys, [body], Buffer.from(given, 'hex')) === null)
        throw new CulpritError('unauthenticated', 'X-Hub-Signature-256 does not match the webhook secret.');
      if (headers['x-github-event'] === 'issues')
        return engine.issueChanged(readEvent(issuesEvent, body, NO_EVENT).issue.body ?? '');
      if (headers['x-github-event'] !== 'pull_request') return null;
      const event = readEvent(pullRequestEvent, body, NO_EVENT);
      if (event.action !== 'closed' || event.pull_request.merged !== true) return null;
      return issuesFixed(engine, fixedIssues(event));
    },
  };
}

/** The issues that GitHub closes when the pull request is merged into the default branch. */
function* fixedIssues({
  pull_request,
  repository,
}: v.InferOutput<typeof pullRequestEvent>): Generator<FixedIssue> {
  const text = `${pull_request.title}\n${pull_request.body ?? ''}`;
  for (const [, address, name, digits] of text.matchAll(CLOSING)) {
    yield { repository: address ?? name ?? repository.full_name, number: Number(digits) };
  }
}
