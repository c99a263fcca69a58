import type { ClosedAs, Commit, DiffFile, PublishedIssue } from '@culprit/core';
import { readHunks } from '../shared/hunks.js';
import type { CommitObject, IssueObject, RestFile } from './schema.js';

export function mapCommit(object: CommitObject): Commit {
  const [pull] = object.associatedPullRequests?.nodes ?? [];
  const account = object.author?.user?.login;
  return {
    sha: object.oid,
    title: object.messageHeadline,
    message: object.message,
    author: { name: object.author?.name ?? 'unknown', ...(account === undefined ? {} : { account }) },
    committed_at: new Date(object.committedDate).toISOString(),
    parents: (object.parents.nodes ?? []).flatMap((parent) => (parent ? [parent.oid] : [])),
    url: object.url ?? null,
    additions: object.additions ?? 0,
    deletions: object.deletions ?? 0,
    pull_request: pull ? { number: pull.number, url: pull.url, title: pull.title } : null,
  };
}

export function mapIssue(issue: IssueObject): PublishedIssue {
  return {
    number: issue.number,
    url: issue.html_url,
    created_at: new Date(issue.created_at).toISOString(),
    state: issue.state === 'closed' ? 'closed' : 'open',
    closed_as: issue.state === 'closed' ? closedAs(issue.state_reason) : null,
    ...(issue.closed_at ? { closed_at: new Date(issue.closed_at).toISOString() } : {}),
    ...(issue.locked === true ? { locked: true } : {}),
    title: issue.title,
    body: issue.body ?? '',
    labels: issue.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
    assignees: (issue.assignees ?? []).map(({ login }) => login),
  };
}

function closedAs(reason: string | null | undefined): ClosedAs {
  return reason === 'not_planned' || reason === 'duplicate' ? reason : 'completed';
}

const STATUS: Readonly<Record<string, DiffFile['status']>> = {
  added: 'added',
  removed: 'removed',
  renamed: 'renamed',
  copied: 'added',
};

/** Maps one file of a REST commit. Without a patch (binary, omitted by GitHub) it has no hunks. */
export function diffFile({ filename, previous_filename, status, patch }: RestFile): DiffFile {
  return {
    path: filename,
    old_path: previous_filename ?? filename,
    status: STATUS[status] ?? 'modified',
    hunks: patch === undefined ? [] : readHunks(patch),
  };
}
