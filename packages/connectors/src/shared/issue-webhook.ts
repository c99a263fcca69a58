import type { Engine } from '@culprit/core';
import { CulpritError } from '@culprit/core/connector';
import * as v from 'valibot';
import { matchingSecret } from './hmac.js';
import { readJsonObject } from './json-body.js';

/** One request of a system that has issues, as received. */
export interface IssueWebhookRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Receives the webhook of a system that has issues. */
export interface IssueWebhook {
  /**
   * Resolves with the run whose issue changed or was fixed, or `null` if the event is of no run. Rejects with `unauthenticated` if
   * the request is not genuine, and with `malformed` if the body is not an event.
   */
  receive(engine: Pick<Engine, 'issueChanged'>, request: IssueWebhookRequest): Promise<string | null>;
}

/** An issue that a merged change fixes. */
export interface FixedIssue {
  readonly repository: string;
  readonly number: number;
}

/** Issues that one change may fix. */
const MAX_FIXED = 10;

/** Has each of these issues read again, and resolves with the first run that has one. */
export async function issuesFixed(
  engine: Pick<Engine, 'issueChanged'>,
  issues: Iterable<FixedIssue>,
): Promise<string | null> {
  const distinct = new Map<string, FixedIssue>();
  for (const issue of issues) distinct.set(JSON.stringify(issue), issue);
  const some = [...distinct.values()].slice(0, MAX_FIXED);
  const runs = await Promise.all(some.map((issue) => engine.issueChanged(issue)));
  return runs.find((runId) => runId !== null) ?? null;
}

/** Rejects with `malformed` and this detail if the body has another shape. */
export function readEvent<const Schema extends v.GenericSchema>(
  schema: Schema,
  body: Uint8Array,
  detail: string,
): v.InferOutput<Schema> {
  try {
    return v.parse(schema, readJsonObject(body));
  } catch {
    throw new CulpritError('malformed', detail);
  }
}

const issuesEvent = v.object({ issue: v.object({ body: v.nullish(v.string()) }) });
const pullRequestEvent = v.object({
  action: v.string(),
  pull_request: v.object({ title: v.string(), body: v.nullish(v.string()), merged: v.nullish(v.boolean()) }),
  repository: v.object({ full_name: v.string() }),
});
const NO_EVENT =
  'The body is not an event of issues or pull requests. Set the content type of the webhook to application/json.';

interface SignedEvents {
  readonly secrets: readonly string[];
  /** The HMAC-SHA256 over the raw bytes, as hexadecimal text; empty: none. */
  signature(headers: IssueWebhookRequest['headers']): string;
  /** The header that people see. */
  readonly signedBy: string;
  event(headers: IssueWebhookRequest['headers']): string | undefined;
  /** The issues that the host closes when a pull request with this text is merged into the default branch. */
  fixed(text: string, repository: string): Iterable<FixedIssue>;
}

/**
 * GitHub's events, which Forgejo and Gitea send in the same shape. An event is only a reason to read the issue again: what it says is not
 * trusted, and repeated or late events do no harm. A merged pull request is a reason to read the issues that it fixes. Other events are
 * ignored.
 */
export function signedEvents(project: string, host: SignedEvents): IssueWebhook {
  const keys = host.secrets.map((secret) => ({ project, secret }));
  return {
    async receive(engine, { headers, body }) {
      const given = /^[0-9a-f]{64}$/.exec(host.signature(headers))?.[0] ?? '';
      if (matchingSecret(keys, [body], Buffer.from(given, 'hex')) === null)
        throw new CulpritError('unauthenticated', `${host.signedBy} does not match the webhook secret.`);
      const kind = host.event(headers);
      if (kind === 'issues')
        return engine.issueChanged(readEvent(issuesEvent, body, NO_EVENT).issue.body ?? '');
      if (kind !== 'pull_request') return null;
      const { action, pull_request, repository } = readEvent(pullRequestEvent, body, NO_EVENT);
      if (action !== 'closed' || pull_request.merged !== true) return null;
      const text = `${pull_request.title}\n${pull_request.body ?? ''}`;
      return issuesFixed(engine, host.fixed(text, repository.full_name));
    },
  };
}
