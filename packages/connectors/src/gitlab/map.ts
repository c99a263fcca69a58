import type { Commit, DiffFile, PublishedComment, PublishedIssue } from '@culprit/core';
import { closedByLabel } from '../shared/closed-by-label.js';
import { readHunks } from '../shared/hunks.js';
import type { CommitObject, DiffObject, IssueObject, NoteObject } from './schema.js';
import { fromStored } from './stored-text.js';

export function iso(date: string): string {
  return new Date(date).toISOString();
}

/** GitLab abbreviates its own `title`, so the title is the message's first line. */
export function titleOf(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}

export function mapCommit(object: CommitObject, pull_request: Commit['pull_request']): Commit {
  return {
    sha: object.id,
    title: titleOf(object.message),
    message: object.message.replace(/\n+$/, ''),
    author: { name: object.author_name ?? 'unknown' },
    committed_at: iso(object.committed_date),
    parents: object.parent_ids,
    url: object.web_url ?? null,
    additions: object.stats?.additions ?? 0,
    deletions: object.stats?.deletions ?? 0,
    pull_request,
  };
}

export function mapDiffFile(object: DiffObject): DiffFile {
  const { old_path, new_path, new_file, deleted_file, renamed_file, diff } = object;
  const status = new_file ? 'added' : deleted_file ? 'removed' : renamed_file ? 'renamed' : 'modified';
  return { path: new_path, old_path, status, hunks: readHunks(diff ?? '') };
}

/** Whether GitLab left the file's diff out. Before it said so itself, the text was just empty. */
export function isCutOff(object: DiffObject): boolean {
  const { collapsed, too_large, diff, new_file, deleted_file, renamed_file, a_mode, b_mode } = object;
  if (collapsed === true || too_large === true) return true;
  if ((collapsed ?? too_large ?? null) !== null) return false;
  return (diff ?? '') === '' && !new_file && !deleted_file && !renamed_file && a_mode === b_mode;
}

export function mapIssue(issue: IssueObject): PublishedIssue {
  const closed = issue.state === 'closed';
  const duplicate = (issue._links?.closed_as_duplicate_of ?? null) !== null;
  return {
    number: issue.iid,
    url: issue.web_url,
    created_at: iso(issue.created_at),
    state: closed ? 'closed' : 'open',
    closed_as: closed ? (duplicate ? 'duplicate' : closedByLabel(issue.labels)) : null,
    closed_at: closed && issue.closed_at ? iso(issue.closed_at) : null,
    ...(issue.discussion_locked === true ? { locked: true } : {}),
    title: issue.title,
    body: fromStored(issue.description ?? ''),
    labels: issue.labels,
    assignees: (issue.assignees ?? []).map(({ username }) => username),
  };
}

export function mapNote(note: NoteObject, issueUrl: string): PublishedComment {
  const url = `${issueUrl}#note_${note.id}`;
  return { url, created_at: iso(note.created_at), body: fromStored(note.body ?? '') };
}
