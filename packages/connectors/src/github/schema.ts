import type { Commit, PublishedIssue } from '@culprit/core/connector';
import type { DiffFile } from '@culprit/core/internal/ports/code-host';
import * as v from 'valibot';
import { type DatedCommit, iso } from '../shared/hosts/code-host.js';
import { readHunks } from '../shared/hosts/files.js';
import { issueEntries, mapIssue } from '../shared/hosts/publisher.js';

/** Wire shapes with the members in use; others are ignored. In GraphQL responses any member may be `null`. */
const oid = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));

/** A page of a connection: the nodes that are there. `next`: where the next page begins, `null` after the last. */
interface Page<Node> {
  readonly nodes: readonly NonNullable<Node>[];
  readonly next: string | null;
}
const connection = v.object({
  nodes: v.nullish(v.array(v.unknown()), []),
  pageInfo: v.nullish(v.object({ hasNextPage: v.boolean(), endCursor: v.nullish(v.string()) })),
});

const pageOf = <Node>(node: v.GenericSchema<unknown, Node>) => {
  const page = v.pipe(
    connection,
    v.transform(({ nodes, pageInfo }) => ({
      nodes: nodes.filter((one) => one !== null && one !== undefined),
      next: pageInfo?.hasNextPage ? (pageInfo.endCursor ?? null) : null,
    })),
    v.object({ nodes: v.array(node), next: v.nullable(v.string()) }),
  ) as v.GenericSchema<unknown, Page<Node>>;
  return v.nullish(page, {});
};

/** As {@link pageOf}, its nodes alone. */
export const nodesOf = <Node>(node: v.GenericSchema<unknown, Node>) =>
  v.nullish(
    v.pipe(
      pageOf(node),
      v.transform(({ nodes }) => nodes),
    ) as v.GenericSchema<unknown, readonly NonNullable<Node>[]>,
    {},
  );

export const blameObject = v.object({
  blame: v.object({
    ranges: v.array(
      v.object({
        startingLine: v.number(),
        endingLine: v.number(),
        commit: v.object({ oid, committedDate: v.string() }),
      }),
    ),
  }),
});

export const blobObject = v.object({
  __typename: v.optional(v.literal('Blob')),
  text: v.nullish(v.string()),
  isBinary: v.nullish(v.boolean()),
  isTruncated: v.nullish(v.boolean()),
});

/** A folder of this name is no file. */
export const ownersBlob = v.object({ ...blobObject.entries, __typename: v.literal('Blob') });

export const historyObject = nodesOf(
  v.object({ oid, committedDate: v.string(), messageHeadline: v.optional(v.string()) }),
);
export const commitObject = v.object({
  oid,
  url: v.nullish(v.string()),
  message: v.string(),
  messageHeadline: v.string(),
  committedDate: v.string(),
  additions: v.nullish(v.number()),
  deletions: v.nullish(v.number()),
  parents: nodesOf(v.object({ oid })),
  author: v.nullish(
    v.object({ name: v.nullish(v.string()), user: v.nullish(v.object({ login: v.string() })) }),
  ),
  associatedPullRequests: nodesOf(v.object({ number: v.number(), url: v.string(), title: v.string() })),
});
export type CommitObject = v.InferOutput<typeof commitObject>;

export const restCommit = v.object({
  sha: v.string(),
  files: v.optional(
    v.array(
      v.object({
        filename: v.string(),
        previous_filename: v.optional(v.string()),
        status: v.string(),
        /** Lines added and deleted; 0 for binary files and pure renames. */
        changes: v.optional(v.number(), 0),
        patch: v.optional(v.string()),
      }),
    ),
    [],
  ),
});
type RestFile = v.InferOutput<typeof restCommit>['files'][number];

const dated = v.object({ oid, committedDate: v.string() });
/** An object at a revision, with the tags around it removed; `null` if it is no commit. */
export const datedCommit: v.GenericSchema<unknown, v.InferOutput<typeof dated> | null> = v.lazy(() =>
  v.union([
    dated,
    v.pipe(
      v.object({ target: datedCommit }),
      v.transform(({ target }) => target),
    ),
    v.pipe(
      v.unknown(),
      v.transform(() => null),
    ),
  ]),
);
export const comparison = v.nullish(v.object({ status: v.string() }));
export const headRef = v.looseObject({
  target: v.object({ ...dated.entries, dated: nodesOf(dated) }),
});
export const repositorySource = v.object({
  nameWithOwner: v.string(),
  diskUsage: v.nullish(v.number()),
  defaultBranchRef: v.nullish(v.object({ name: v.string() })),
});
export const refsPage = v.object({ refs: pageOf(v.object({ compare: comparison })) });
export const tagsPage = v.object({
  commit: datedCommit,
  refs: pageOf(v.object({ name: v.string(), target: v.unknown() })),
});
/** A tag's own date: absent if it is no object of its own. */
export const tagObject = v.object({ tagger: v.nullish(v.object({ date: v.nullish(v.string()) })) });
export const taggedCommit = v.nullish(
  v.object({ compare: v.nullish(v.object({ status: v.string(), aheadBy: v.number() })) }),
);
export const releaseLists = v.object({
  tags: nodesOf(v.object({ name: v.string(), target: datedCommit })),
  releases: nodesOf(v.object({ name: v.nullish(v.string()), tagName: v.string(), tagCommit: datedCommit })),
});
export const deployments = v.nullish(
  v.object({
    deployments: nodesOf(
      v.object({
        commit: datedCommit,
        ref: v.nullish(v.object({ name: v.string() })),
        environment: v.nullish(v.string()),
        payload: v.nullish(v.string()),
        state: v.nullish(v.string()),
        createdAt: v.string(),
      }),
    ),
  }),
);
const mergedPull = v.object({
  number: v.number(),
  url: v.string(),
  mergedAt: v.string(),
  mergeCommit: v.object({ oid }),
});
const other = v.pipe(
  v.unknown(),
  v.transform(() => null),
);
const closer = v.object({ closer: v.union([mergedPull, v.object({ oid }), other]) });
export const closedIssue = v.object({
  issue: v.nullish(
    v.object({
      timelineItems: nodesOf(closer),
      closedByPullRequestsReferences: nodesOf(v.union([mergedPull, other])),
    }),
  ),
});
const actor = v.nullish(v.object({ login: v.string() }));
export const editedIssue = v.object({
  issue: v.nullish(
    v.object({
      lastEditedAt: v.nullish(v.string()),
      editor: actor,
      timelineItems: nodesOf(v.object({ createdAt: v.string(), actor })),
    }),
  ),
});
export const comparedCommits = v.object({ status: v.picklist(['ahead', 'behind', 'diverged', 'identical']) });
export const comparedRange = v.object({
  total_commits: v.number(),
  commits: v.array(
    v.object({
      sha: v.string(),
      commit: v.object({
        message: v.string(),
        committer: v.nullish(v.object({ date: v.optional(v.string()) })),
      }),
    }),
  ),
});
export const gitTree = v.object({
  truncated: v.boolean(),
  tree: v.array(v.object({ path: v.optional(v.string()), type: v.optional(v.string()) })),
});
/** A folder of the repository. Anything else has no entries. */
export const treeObject = v.object({
  entries: v.array(v.object({ name: v.string(), type: v.string() })),
});
export const issue = v.object({
  ...issueEntries,
  state_reason: v.nullish(v.string()),
  locked: v.optional(v.boolean(), false),
  labels: v.array(v.union([v.string(), v.object({ name: v.nullish(v.string()) })])),
  type: v.nullish(v.object({ name: v.string() })),
  pull_request: v.optional(v.unknown()),
});
export type IssueObject = v.InferOutput<typeof issue>;

export function datedOf(commit: v.InferOutput<typeof datedCommit>): DatedCommit | null {
  return commit && { sha: commit.oid, committed_at: iso(commit.committedDate) };
}

export function mapCommit(object: CommitObject): Commit {
  const [pull] = object.associatedPullRequests;
  const account = object.author?.user?.login;
  return {
    sha: object.oid,
    title: object.messageHeadline,
    message: object.message,
    author: { name: object.author?.name ?? 'unknown', ...(account === undefined ? {} : { account }) },
    committed_at: iso(object.committedDate),
    parents: object.parents.map(({ oid }) => oid),
    url: object.url ?? null,
    additions: object.additions ?? 0,
    deletions: object.deletions ?? 0,
    pull_request: pull ?? null,
  };
}

export function shownIssue(object: IssueObject): PublishedIssue {
  const labels = object.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])));
  const { state_reason: reason } = object;
  const closedAs = reason === 'not_planned' || reason === 'duplicate' ? reason : 'completed';
  return mapIssue(object, labels, object.locked, closedAs);
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
