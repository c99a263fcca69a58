import type { PublishedIssue } from '@culprit/core/connector';
import * as v from 'valibot';
import { closedByLabel, issueEntries, mapIssue } from '../shared/hosts/publisher.js';

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
  ...issueEntries,
  labels: v.nullish(v.array(labelSchema), []),
  is_locked: v.optional(v.boolean(), false),
});
export type IssueObject = v.InferOutput<typeof issueSchema>;
export const pullRequestSchema = v.object({ number: v.number(), html_url: v.string(), title: v.string() });

export function shownIssue(issue: IssueObject): PublishedIssue {
  const labels = (issue.labels ?? []).map(({ name }) => name);
  return mapIssue(issue, labels, issue.is_locked, closedByLabel(labels));
}
