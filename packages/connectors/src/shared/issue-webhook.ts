import { CulpritError, type Engine } from '@culprit/core';
import * as v from 'valibot';
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
const MOST_FIXED = 10;

/** Has each of these issues read again, and resolves with the first run that has one. */
export async function issuesFixed(
  engine: Pick<Engine, 'issueChanged'>,
  issues: Iterable<FixedIssue>,
): Promise<string | null> {
  const distinct = new Map<string, FixedIssue>();
  for (const issue of issues) distinct.set(JSON.stringify(issue), issue);
  const some = [...distinct.values()].slice(0, MOST_FIXED);
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

/** GitHub's events, which Forgejo and Gitea send in the same shape. */
export const issuesEvent = v.object({ issue: v.object({ body: v.nullish(v.string()) }) });
/** As {@link issuesEvent}. */
export const pullRequestEvent = v.object({
  action: v.string(),
  pull_request: v.object({ title: v.string(), body: v.nullish(v.string()), merged: v.nullish(v.boolean()) }),
  repository: v.object({ full_name: v.string() }),
});
