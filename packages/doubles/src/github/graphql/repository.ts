import type { Git, GitCommit } from '../../shared/git.js';
import type { DoubleRepository, DoubleToken } from '../options.js';
import { allows } from '../rest/request.js';
import type { StoredIssue } from '../state.js';
import { forbidden, githubError } from './document.js';
import { issueField, releaseFields } from './fields.js';

export interface Root {
  readonly git: Git;
  readonly name: string;
  readonly base: string;
  readonly token: DoubleToken;
  readonly canRead: boolean;
  readonly settings: DoubleRepository;
  readonly assignable: readonly string[];
  readonly issues: () => number;
  readonly stored: () => readonly StoredIssue[];
}

/** The text of a larger blob is truncated (schema: Blob.isTruncated). */
const BLOB_BYTES = 512 * 1024;
const PERMISSIONS = { read: 'READ', triage: 'TRIAGE', push: 'WRITE' } as const;
/** A repository in GraphQL, backed by git. */
export function repositoryRoot(root: Root) {
  const [owner, name] = root.name.split('/');
  return {
    __typename: 'Repository',
    name,
    nameWithOwner: root.name,
    diskUsage: Math.round((root.settings.megabytes ?? 0.5) * 1_000),
    owner: { __typename: 'User', login: owner },
    url: `${root.base}/${root.name}`,
    object: async ({ expression, oid }: { expression?: string; oid?: string }) => {
      if (!root.canRead) throw forbidden();
      return object(root, oid ?? expression ?? '');
    },
    isArchived: root.settings.archived === true,
    hasIssuesEnabled: root.settings.issuesDisabled !== true,
    viewerPermission: root.token.app ? null : PERMISSIONS[root.token.role ?? 'push'],
    issues: () => {
      if (!allows(root.token, 'issues', 'read')) throw forbidden();
      return { totalCount: root.issues(), nodes: [] };
    },
    issue: issueField(root),
    assignableUsers: ({ first, query = '' }: { first: number; query?: string }) => {
      const found = root.assignable.filter((login) => login.toLowerCase().includes(query.toLowerCase()));
      return { totalCount: found.length, nodes: found.slice(0, first).map((login) => ({ login })) };
    },
    defaultBranchRef: async () => {
      if (!root.canRead) throw forbidden();
      const oid = await root.git.resolve('HEAD');
      return oid === null ? null : refObject(root, 'main', oid);
    },
    ref: async ({ qualifiedName }: { qualifiedName: string }) => {
      const full = qualifiedName.startsWith('refs/') ? qualifiedName : `refs/${qualifiedName}`;
      const found = (await refsBelow(root, full)).find((ref) => ref.full === full);
      return found === undefined ? null : refObject(root, full.replace(/^refs\/[^/]+\//, ''), found.oid);
    },
    ...releaseFields(root, (sha) => commitAt(root, sha)),
    refs: async ({ refPrefix, query, first, after, orderBy }: RefsQuestion) => {
      const byDate = orderBy?.field === 'TAG_COMMIT_DATE' && refPrefix === 'refs/tags/';
      const refs = await refsBelow(root, refPrefix);
      if (byDate) refs.sort((a, b) => a.seconds - b.seconds);
      if (byDate && orderBy.direction === 'DESC') refs.reverse();
      const short = refs
        .map(({ full, oid }) => ({ name: full.slice(refPrefix.length), oid }))
        .filter(({ name }) => query === undefined || name.includes(query));
      const from = after === undefined || after === null ? 0 : Number(after);
      const to = from + (first ?? 100);
      return {
        totalCount: short.length,
        nodes: short.slice(from, to).map(({ name, oid }) => refObject(root, name, oid)),
        pageInfo: { hasNextPage: to < short.length, endCursor: String(to) },
      };
    },
  };
}

interface RefsQuestion {
  readonly refPrefix: string;
  readonly query?: string;
  readonly first?: number;
  readonly after?: string | null;
  readonly orderBy?: { readonly field: string; readonly direction: 'ASC' | 'DESC' };
}

interface Ref {
  readonly full: string;
  readonly oid: string;
  /** The date of the commit that a branch or tag names. */
  readonly seconds: number;
}

/** By name. */
async function refsBelow(root: Root, prefix: string): Promise<Ref[]> {
  const format = '--format=%(refname) %(objectname) %(*committerdate:unix)%(committerdate:unix)';
  return ((await root.git.text('for-each-ref', format, prefix)) ?? '')
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const [full = '', oid = '', date] = row.split(' ');
      return { full, oid, seconds: Number(date) };
    });
}

/** A branch or tag. It can be compared with any commit that the repository's objects contain, also of a fork. */
function refObject(root: Root, name: string, oid: string) {
  return {
    __typename: 'Ref',
    name,
    target: () => {
      if (!root.canRead) throw forbidden();
      return object(root, oid);
    },
    compare: async ({ headRef }: { headRef: string }) => {
      if (!root.canRead) throw forbidden();
      const [base, head] = [await root.git.resolve(oid), await root.git.resolve(headRef)];
      const range = `${base}...${head}`;
      const counts = head && (await root.git.text('rev-list', '--left-right', '--count', range, '--'));
      if (!counts) throw githubError('NOT_FOUND', `Could not resolve to a Ref with the name '${headRef}'.`);
      const [behindBy = 0, aheadBy = 0] = counts.trim().split('\t').map(Number);
      const status = ['IDENTICAL', 'AHEAD', 'BEHIND', 'DIVERGED'][
        (aheadBy > 0 ? 1 : 0) + (behindBy > 0 ? 2 : 0)
      ];
      return { __typename: 'Comparison', aheadBy, behindBy, status };
    },
  };
}

async function object(root: Root, expression: string): Promise<object | null> {
  const found = await root.git.type(expression);
  if (!found) return null;
  switch (found.type) {
    case 'commit':
      return commitAt(root, found.oid);
    case 'tag': {
      const target = await root.git.resolve(found.oid);
      const commit = () => (target === null ? null : commitAt(root, target));
      return { __typename: 'Tag', oid: found.oid, tagger: () => taggerOf(root, found.oid), target: commit };
    }
    case 'blob':
      return blob(root, found.oid);
    default:
      return { __typename: 'Tree', oid: found.oid, entries: () => treeEntries(root, found.oid) };
  }
}

async function taggerOf(root: Root, oid: string): Promise<object | null> {
  const text = (await root.git.text('cat-file', 'tag', oid)) ?? '';
  const [, seconds] = /^tagger .* (\d+) [+-]\d{4}$/m.exec(text) ?? [];
  return seconds === undefined ? null : { date: new Date(Number(seconds) * 1_000).toISOString() };
}

/** One folder, without the entries of its folders. */
async function treeEntries(root: Root, oid: string): Promise<readonly object[]> {
  const text = (await root.git.text('ls-tree', '-z', oid)) ?? '';
  return text.split('\0').flatMap((entry) => {
    const [meta = '', name = ''] = entry.split('\t');
    const [, type = '', entryOid = ''] = meta.split(' ');
    return name === '' ? [] : [{ name, type, oid: entryOid }];
  });
}

async function blob(root: Root, oid: string): Promise<object> {
  const text = (await root.git.text('cat-file', 'blob', oid)) ?? '';
  const isBinary = text.slice(0, 8_000).includes('\0');
  const byteSize = Buffer.byteLength(text);
  const isTruncated = byteSize > BLOB_BYTES;
  const shown = isBinary ? null : text.slice(0, BLOB_BYTES);
  return { __typename: 'Blob', oid, byteSize, isBinary, isTruncated, text: shown };
}

async function commitAt(root: Root, oid: string): Promise<object | null> {
  const [commit] = await root.git.commits(oid);
  return commit ? commitObject(root, commit) : null;
}

function commitObject(root: Root, commit: GitCommit): object {
  const { oid, message, author, committer, parents } = commit;
  const stats = once(async () => {
    const text =
      (await root.git.text('show', '--numstat', '--format=', '-M', '-m', '--first-parent', oid)) ?? '';
    const rows = text
      .split('\n')
      .filter((row) => /^\d/.test(row))
      .map((row) => row.split('\t').map(Number));
    return {
      additions: rows.reduce((sum, [added = 0]) => sum + added, 0),
      deletions: rows.reduce((sum, [, removed = 0]) => sum + removed, 0),
    };
  });
  return {
    __typename: 'Commit',
    oid,
    url: `${root.base}/${root.name}/commit/${oid}`,
    message,
    messageHeadline: message.split('\n')[0],
    committedDate: committer.date,
    author: { ...author, user: userOf(author.email) },
    additions: async () => (await stats()).additions,
    deletions: async () => (await stats()).deletions,
    parents: ({ first = 100 }: { first?: number }) => ({
      totalCount: parents.length,
      nodes: () => Promise.all(parents.slice(0, first).map((parent) => commitAt(root, parent))),
    }),
    associatedPullRequests: () => {
      if (root.token.permissions.pull_requests === undefined) throw forbidden();
      return { totalCount: 0, nodes: [] };
    },
    history: async ({ first = 100, path, until }: { first?: number; path?: string; until?: string }) => {
      const options = [`-${first}`, ...(until === undefined ? [] : [`--until=${until}`])];
      const commits = await root.git.commits(oid, options, path);
      return { totalCount: commits.length, nodes: commits.map((found) => commitObject(root, found)) };
    },
    blame: async ({ path }: { path: string }) => ({ ranges: await ranges(root, oid, path) }),
  };
}

/** GitHub's blame: plain `git blame` of the whole file, ignoring `.git-blame-ignore-revs`. */
async function ranges(root: Root, oid: string, path: string): Promise<readonly object[]> {
  const text = await root.git.text('blame', '--porcelain', oid, '--', path);
  if (text === null) throw githubError('NOT_FOUND', `The path '${path}' does not exist.`);
  const owners: string[] = [];
  for (const line of text.split('\n')) {
    const head = /^([0-9a-f]{40}) \d+ (\d+)(?: \d+)?$/.exec(line);
    if (head) owners[Number(head[2])] = head[1] ?? '';
  }
  const found: { startingLine: number; endingLine: number; oid: string }[] = [];
  for (let line = 1; line < owners.length; line++) {
    const owner = owners[line] ?? '';
    const last = found.at(-1);
    if (last && last.oid === owner) last.endingLine = line;
    else found.push({ startingLine: line, endingLine: line, oid: owner });
  }
  const unique = [...new Set(found.map(({ oid: owner }) => owner))];
  const commits = new Map(
    await Promise.all(unique.map(async (owner) => [owner, await commitAt(root, owner)] as const)),
  );
  return found.map(({ startingLine, endingLine, oid: owner }) => ({
    startingLine,
    endingLine,
    age: 1,
    commit: commits.get(owner),
  }));
}

/** GitHub's own addresses name the account; others are in nobody's profile here. */
function userOf(email: string): object | null {
  const login = /^(?:\d+\+)?([A-Za-z0-9-]+)@users\.noreply\.github\.com$/.exec(email)?.[1];
  return login === undefined ? null : { __typename: 'User', login };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
