import type { ClosedAs, PublishedComment, PublishedIssue } from '@culprit/core';
import * as v from 'valibot';
import { iso } from './code-host.js';

/** Issues and comments as GitHub's interface has them, and those of Forgejo and Gitea, which follow it. */
export const account = v.object({ login: v.string() });

export const issueEntries = {
  number: v.number(),
  html_url: v.string(),
  created_at: v.string(),
  state: v.string(),
  closed_at: v.nullish(v.string()),
  title: v.string(),
  user: v.nullish(account),
  body: v.nullish(v.string(), ''),
  assignees: v.nullish(v.array(account), []),
};
const issue = v.object(issueEntries);

export const comment = v.object({
  html_url: v.string(),
  created_at: v.string(),
  updated_at: v.nullish(v.string()),
  user: v.nullish(account),
  body: v.nullish(v.string(), ''),
});
export type CommentObject = v.InferOutput<typeof comment>;

/** `closedAs`: of a closed issue. */
export function mapIssue(
  object: v.InferOutput<typeof issue>,
  labels: readonly string[],
  locked: boolean,
  closedAs: ClosedAs | null,
): PublishedIssue {
  const isClosed = object.state === 'closed';
  return {
    number: object.number,
    url: object.html_url,
    created_at: iso(object.created_at),
    state: isClosed ? 'closed' : 'open',
    closed_as: isClosed ? closedAs : null,
    ...(object.closed_at ? { closed_at: iso(object.closed_at) } : {}),
    ...(locked ? { locked } : {}),
    title: object.title,
    body: object.body ?? '',
    labels,
    assignees: (object.assignees ?? []).map(({ login }) => login),
  };
}

export function mapComment({ html_url, created_at, body }: CommentObject): PublishedComment {
  return { url: html_url, created_at: iso(created_at), body: body ?? '' };
}

/** Names without spaces, hyphens, apostrophes and scope. The first two are among the labels that Forgejo and Gitea propose. */
const NOT_PLANNED = ['wontfix', 'invalid', 'wontdo', 'notplanned', 'archived'];
const DUPLICATE = ['duplicate'];

/**
 * Why an issue is closed, on systems that do not say it: by its labels, such as `wontfix`, `Reviewed/Won't Fix` or `resolution::duplicate`.
 * `null`: they do not say it.
 */
export function closedByLabel(labels: readonly string[]): ClosedAs | null {
  const names = labels.map((label) =>
    label
      .replace(/^.*(?:\/|::)/, '')
      .toLowerCase()
      .replace(/[^\p{L}]/gu, ''),
  );
  if (names.some((name) => DUPLICATE.includes(name))) return 'duplicate';
  return names.some((name) => NOT_PLANNED.includes(name)) ? 'not_planned' : null;
}
