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

/** Receives GitHub's webhook of issues. */
export interface GithubWebhook {
  /**
   * Resolves with the run whose issue changed, or `null` if the event is of no run. Rejects with `unauthenticated` if the
   * signature is wrong, and with `malformed` if the body is not an event.
   */
  receive(engine: Pick<Engine, 'issueChanged'>, request: GithubWebhookRequest): Promise<string | null>;
}

const issuesEvent = v.object({ issue: v.object({ body: v.nullish(v.string()) }) });

/**
 * Verifies `X-Hub-Signature-256` over the raw bytes with one of the secrets. An event is only a reason to read the issue
 * again: what it says is not trusted, and repeated or late events do no harm. Other events than `issues` are ignored.
 */
export function githubWebhook({ secrets }: { readonly secrets: readonly string[] }): GithubWebhook {
  const keys = secrets.map((secret) => ({ project: 'github', secret }));
  return {
    async receive(engine, { headers, body }) {
      const given = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '';
      if (matchingSecret(keys, [body], Buffer.from(given, 'hex')) === null)
        throw new CulpritError('unauthenticated', 'X-Hub-Signature-256 does not match the webhook secret.');
      if (headers['x-github-event'] !== 'issues') return null;
      const { issue } = parsed(body);
      return engine.issueChanged(issue.body ?? '');
    },
  };
}

function parsed(body: Uint8Array): v.InferOutput<typeof issuesEvent> {
  try {
    return v.parse(issuesEvent, readJsonObject(body));
  } catch {
    throw new CulpritError(
      'malformed',
      'The body is not an issues event. Set the content type of the webhook to application/json.',
    );
  }
}
