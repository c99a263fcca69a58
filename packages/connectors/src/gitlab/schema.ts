import type { Commit, PublishedComment, PublishedIssue } from '@culprit/core/connector';
import type { DiffFile } from '@culprit/core/internal/ports/code-host';
import * as v from 'valibot';
import { iso } from '../shared/hosts/code-host.js';
import { readHunks } from '../shared/hosts/files.js';
import { closedByLabel } from '../shared/hosts/publisher.js';

/** Wire shapes with the members in use; others are ignored. */
const sha = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));

export const commit = v.object({
  id: sha,
  message: v.string(),
  committed_date: v.string(),
  author_name: v.nullish(v.string()),
  parent_ids: v.optional(v.array(sha), []),
  web_url: v.nullish(v.string()),
  stats: v.nullish(v.object({ additions: v.number(), deletions: v.number() })),
});
export type CommitObject = v.InferOutput<typeof commit>;
export const commits = v.array(commit);

export const file = v.object({ size: v.number(), encoding: v.string(), content: v.string() });

export const blame = v.array(
  v.object({ commit: v.object({ id: sha, committed_date: v.string() }), lines: v.array(v.string()) }),
);

export const diffs = v.array(
  v.object({
    old_path: v.string(),
    new_path: v.string(),
    a_mode: v.nullish(v.string()),
    b_mode: v.nullish(v.string()),
    new_file: v.boolean(),
    renamed_file: v.boolean(),
    deleted_file: v.boolean(),
    diff: v.nullish(v.string()),
    /** Older servers have neither. */
    collapsed: v.nullish(v.boolean()),
    too_large: v.nullish(v.boolean()),
  }),
);
type DiffObject = v.InferOutput<typeof diffs>[number];

export const tree = v.array(v.object({ path: v.string(), type: v.string() }));
export const refs = v.array(v.object({ type: v.string(), name: v.string() }));
export const mergeBase = v.object({ id: sha });

const named = v.object({ id: sha, committed_date: v.string() });
export const tags = v.array(
  v.object({
    name: v.string(),
    commit: v.nullish(named),
    /** Of annotated tags. Older servers do not have it. */
    created_at: v.nullish(v.string()),
  }),
);
/** Without the permission to read code, releases have no commit. */
export const releases = v.array(
  v.object({ name: v.nullish(v.string()), tag_name: v.string(), commit: v.nullish(named) }),
);
export const deployments = v.array(
  v.object({
    ref: v.nullish(v.string()),
    sha,
    status: v.string(),
    created_at: v.string(),
    environment: v.object({ name: v.string() }),
  }),
);

export const project = v.object({
  id: v.number(),
  default_branch: v.nullish(v.string()),
  archived: v.nullish(v.boolean()),
  issues_access_level: v.nullish(v.string()),
});

/** `repository_size`: bytes; only for those who may read it. */
export const projectSource = v.object({
  path_with_namespace: v.string(),
  default_branch: v.nullish(v.string()),
  repository_object_format: v.nullish(v.string()),
  statistics: v.nullish(v.object({ repository_size: v.nullish(v.number()) })),
});

export const user = v.object({ id: v.number(), username: v.string() });
export const users = v.array(user);

export const mergeRequests = v.array(
  v.object({
    iid: v.number(),
    title: v.string(),
    web_url: v.string(),
    state: v.string(),
    merged_at: v.nullish(v.string()),
    sha: v.nullish(v.string()),
    merge_commit_sha: v.nullish(v.string()),
    squash_commit_sha: v.nullish(v.string()),
  }),
);

export const issue = v.object({
  id: v.number(),
  iid: v.number(),
  title: v.string(),
  description: v.nullish(v.string()),
  state: v.string(),
  created_at: v.string(),
  web_url: v.string(),
  labels: v.array(v.string()),
  assignees: v.nullish(v.array(v.object({ username: v.string() }))),
  author: v.nullish(v.object({ id: v.number() })),
  confidential: v.nullish(v.boolean()),
  closed_at: v.nullish(v.string()),
  discussion_locked: v.nullish(v.boolean()),
  moved_to_id: v.nullish(v.number()),
  _links: v.nullish(v.object({ closed_as_duplicate_of: v.nullish(v.string()) })),
});
export type IssueObject = v.InferOutput<typeof issue>;
export const issues = v.array(issue);

export const note = v.object({
  id: v.number(),
  body: v.nullish(v.string()),
  created_at: v.string(),
  author: v.nullish(v.object({ id: v.number() })),
  system: v.nullish(v.boolean()),
});
export type NoteObject = v.InferOutput<typeof note>;
export const notes = v.array(note);

/** `group/project#12`. */
export const movedIssue = v.object({ issue: v.object({ reference: v.string() }) });

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

/**
 * A line that GitLab may take for a quick action and execute, such as `/close` or `/assign @ada`: it would act in the name of the
 * token's user, and remove the line. A space in front prevents both, and Markdown does not show it.
 */
const COMMAND = /^( *)(?=\/[A-Za-z_]+(?:[ \t]|$))/gm;
const SPACED_COMMAND = /^ ( *)(?=\/[A-Za-z_]+(?:[ \t]|$))/gm;

/** The text as it is sent. `fromStored` returns the signed text, except for carriage returns, which GitLab deletes. */
export function toStored(text: string): string {
  return text.replaceAll('\r', '').trimEnd().replace(COMMAND, ' $1');
}

/** GitLab deletes the space after the text, so the line break that ends a trailer is put back. */
export function fromStored(text: string): string {
  const body = text.replace(SPACED_COMMAND, '$1');
  return body.endsWith(' -->') ? `${body}\n` : body;
}
