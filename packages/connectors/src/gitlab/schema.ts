import * as v from 'valibot';

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
export type DiffObject = v.InferOutput<typeof diffs>[number];

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
  empty_repo: v.nullish(v.boolean()),
  issues_access_level: v.nullish(v.string()),
});
export type ProjectObject = v.InferOutput<typeof project>;

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
