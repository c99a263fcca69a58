import type { PublishedComment, PublishedIssue } from '@culprit/core';
import * as v from 'valibot';
import { closedByLabel } from '../shared/closed-by-label.js';

const user = v.object({ login: v.string() });

export const userSchema = user;
export const repositorySchema = v.object({
  full_name: v.string(),
  default_branch: v.string(),
  empty: v.optional(v.boolean(), false),
  has_issues: v.optional(v.boolean(), true),
  archived: v.optional(v.boolean(), false),
  object_format_name: v.optional(v.string(), 'sha1'),
});
export const labelSchema = v.object({ id: v.number(), name: v.string() });
export const issueSchema = v.object({
  number: v.number(),
  html_url: v.string(),
  title: v.string(),
  body: v.nullish(v.string(), ''),
  user: v.nullish(user),
  labels: v.nullish(v.array(labelSchema), []),
  assignees: v.nullish(v.array(user), []),
  state: v.picklist(['open', 'closed']),
  is_locked: v.optional(v.boolean(), false),
  created_at: v.string(),
  closed_at: v.nullish(v.string()),
});
export type IssueObject = v.InferOutput<typeof issueSchema>;
export const commentSchema = v.object({
  html_url: v.string(),
  created_at: v.string(),
  body: v.nullish(v.string(), ''),
  user: v.nullish(user),
});
export type CommentObject = v.InferOutput<typeof commentSchema>;
export const pullRequestSchema = v.object({ number: v.number(), html_url: v.string(), title: v.string() });

export function mapIssue(issue: IssueObject): PublishedIssue {
  const labels = (issue.labels ?? []).map(({ name }) => name);
  return {
    number: issue.number,
    url: issue.html_url,
    created_at: new Date(issue.created_at).toISOString(),
    state: issue.state,
    ...(issue.state === 'closed' ? { closed_as: closedByLabel(labels) } : {}),
    ...(issue.closed_at ? { closed_at: new Date(issue.closed_at).toISOString() } : {}),
    ...(issue.is_locked ? { locked: true } : {}),
    title: issue.title,
    body: issue.body ?? '',
    labels,
    assignees: (issue.assignees ?? []).map(({ login }) => login),
  };
}

export function mapComment({ html_url, created_at, body }: CommentObject): PublishedComment {
  return { url: html_url, created_at: new Date(created_at).toISOString(), body: body ?? '' };
}
