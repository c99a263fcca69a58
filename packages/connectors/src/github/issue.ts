import type { PublishedIssue } from '@culprit/core';
import type { IssueObject } from './schema.js';

export function mapIssue(issue: IssueObject): PublishedIssue {
  return {
    number: issue.number,
    url: issue.html_url,
    created_at: new Date(issue.created_at).toISOString(),
    state: issue.state === 'closed' ? 'closed' : 'open',
    title: issue.title,
    body: issue.body ?? '',
    labels: issue.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
    assignees: (issue.assignees ?? []).map(({ login }) => login),
  };
}
