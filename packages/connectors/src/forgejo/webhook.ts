import { CulpritError, type Engine } from '@culprit/core';
import * as v from 'valibot';
import { matchingSecret } from '../shared/hmac.js';
import { readJsonObject } from '../shared/json-body.js';
import { SCHEME } from './config.js';

/** One request of Forgejo or Gitea, as received. */
export interface ForgejoWebhookRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Receives the webhook of issues and pull requests. */
export interface ForgejoWebhook {
  /**
   * Resolves with the run whose issue changed or was fixed, or `null` if the event is of no run. Rejects with `unauthenticated` if the
   * signature is wrong, and with `malformed` if the body is not an event.
   */
  receive(engine: Pick<Engine, 'issueChanged'>, request: ForgejoWebhookRequest): Promise<string | null>;
}

const issuesEvent = v.object({ issue: v.object({ body: v.nullish(v.string()) }) });
const pullRequestEvent = v.object({
  action: v.string(),
  pull_request: v.object({ title: v.string(), body: v.nullish(v.string()), merged: v.nullish(v.boolean()) }),
  repository: v.object({ full_name: v.string() }),
});

/** `Fixes #12`, `closes acme/shop#12`. The words are the server's defaults. */
const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,9})\b/gi;
/** Issues that one pull request may fix. */
const MOST_FIXED = 10;

/**
 * Verifies the signature over the raw bytes with one of the secrets: the HMAC-SHA256 as hexadecimal text, which Forgejo sends as
 * `X-Forgejo-Signature` and both as `X-Gitea-Signature`. An event is only a reason to read the issue again: what it says is not
 * trusted, and repeated or late events do no harm.
 */
export function forgejoWebhook({ secrets }: { readonly secrets: readonly string[] }): ForgejoWebhook {
  const keys = secrets.map((secret) => ({ project: 'forgejo', secret }));
  return {
    async receive(engine, { headers, body }) {
      const named = (name: string) => headers[`x-forgejo-${name}`] ?? headers[`x-gitea-${name}`] ?? '';
      const given = /^[0-9a-f]{64}$/.test(named('signature'))
        ? Buffer.from(named('signature'), 'hex')
        : Buffer.of();
      if (matchingSecret(keys, [body], given) === null)
        throw new CulpritError('unauthenticated', 'X-Forgejo-Signature does not match the webhook secret.');
      if (named('event') === 'issues') return engine.issueChanged(parsed(issuesEvent, body).issue.body ?? '');
      if (named('event') !== 'pull_request') return null;
      const event = parsed(pullRequestEvent, body);
      if (event.action !== 'closed' || event.pull_request.merged !== true) return null;
      const runs = await Promise.all(fixedIssues(event).map((issue) => engine.issueChanged(issue)));
      return runs.find((runId) => runId !== null) ?? null;
    },
  };
}

/** The issues that the server closes when the pull request is merged into the default branch. */
function fixedIssues({ pull_request, repository }: v.InferOutput<typeof pullRequestEvent>) {
  const text = `${pull_request.title}\n${pull_request.body ?? ''}`;
  const found = new Map<string, { readonly repository: string; readonly number: number }>();
  for (const [, name, digits] of text.matchAll(CLOSING)) {
    const issue = { repository: `${SCHEME}${name ?? repository.full_name}`, number: Number(digits) };
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
