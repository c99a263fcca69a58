import { CulpritError, type Engine } from '@culprit/core';
import * as v from 'valibot';
import { matchingSecret } from '../shared/hmac.js';
import { readJsonObject } from '../shared/json-body.js';

/** One request of GitHub, as received. */
export interface GithubWebhookRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Receives GitHub's webhook of issues and pull requests. */
export interface GithubWebhook {
  /**
   * Resolves with the run whose issue changed or was fixed, or `null` if the event is of no run. Rejects with `unauthenticated` if the
   * signature is wrong, and with `malformed` if the body is not an event.
   */
  receive(engine: Pick<Engine, 'issueChanged'>, request: GithubWebhookRequest): Promise<string | null>;
}

const issuesEvent = v.object({ issue: v.object({ body: v.nullish(v.string()) }) });
const pullRequestEvent = v.object({
  action: v.string(),
  pull_request: v.object({ title: v.string(), body: v.nullish(v.string()), merged: v.nullish(v.boolean()) }),
  repository: v.object({ full_name: v.string() }),
});

/** `Fixes #12`, `closes acme/shop#12`, `Resolves: https://github.com/acme/shop/issues/12`. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+(?:https?:\/\/[\w.:-]+\/([\w.-]+\/[\w.-]+)\/issues\/|([\w.-]+\/[\w.-]+)?#)(\d{1,9})\b/gi;
/** Issues that one pull request may fix. */
const MOST_FIXED = 10;

/**
 * Verifies `X-Hub-Signature-256` over the raw bytes with one of the secrets. An event is only a reason to read the issue
 * again: what it says is not trusted, and repeated or late events do no harm. A merged pull request is a reason to read the issues
 * that it fixes. Other events are ignored.
 */
export function githubWebhook({ secrets }: { readonly secrets: readonly string[] }): GithubWebhook {
  const keys = secrets.map((secret) => ({ project: 'github', secret }));
  return {
    async receive(engine, { headers, body }) {
      const given = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '';
      if (matchingSecret(keys, [body], Buffer.from(given, 'hex')) === null)
        throw new CulpritError('unauthenticated', 'X-Hub-Signature-256 does not match the webhook secret.');
      if (headers['x-github-event'] === 'issues')
        return engine.issueChanged(parsed(issuesEvent, body).issue.body ?? '');
      if (headers['x-github-event'] !== 'pull_request') return null;
      const event = parsed(pullRequestEvent, body);
      if (event.action !== 'closed' || event.pull_request.merged !== true) return null;
      const runs = await Promise.all(fixedIssues(event).map((issue) => engine.issueChanged(issue)));
      return runs.find((runId) => runId !== null) ?? null;
    },
  };
}

/** The issues that GitHub closes when the pull request is merged into the default branch. */
function fixedIssues({ pull_request, repository }: v.InferOutput<typeof pullRequestEvent>) {
  const text = `${pull_request.title}\n${pull_request.body ?? ''}`;
  const found = new Map<string, { readonly repository: string; readonly number: number }>();
  for (const [, address, name, digits] of text.matchAll(CLOSING)) {
    const issue = { repository: address ?? name ?? repository.full_name, number: Number(digits) };
    found.set(JSON.stringify(issue), issue);
  }
  return [...found.values()].slice(0, MOST_FIXED);
}

function parsed<const Schema extends v.GenericSchema>(
  schema: Schema,
  body: Uint8Array,
): v.InferOutput<Schema> {
  try {
    return v.parse(schema, readJsonObject(body));
  } catch {
    throw new CulpritError(
      'malformed',
      'The body is not an event of issues or pull requests. Set the content type of the webhook to application/json.',
    );
  }
}
