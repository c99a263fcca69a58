import type { Git } from '../../shared/git.js';
import { entriesOf, linkTo, pageIn } from '../../shared/http.js';
import { changedFiles } from './diff.js';
import {
  type Answer,
  type Handle,
  NOT_FOUND,
  needing,
  ok,
  type RepositoryRequest,
  refuse,
} from './request.js';
import { commit as commitShape } from './shapes.js';

/** Files per page of a commit if `per_page` says nothing, at most if it does, and in total. */
const FILES_A_PAGE = 300;
const PER_PAGE = 100;
const FILES_IN_ALL = 3_000;
/** Patches per page: the files after these have none (RULES.md, patches). */
const PATCHES_A_PAGE = 70;
/** Entries of one recursive tree, and their bytes: mode, type, SHA, size and path (RULES.md, trees). */
const TREE_ENTRIES = 100_000;
const TREE_BYTES = 7 * 1024 * 1024;

/** Answers only tokens that may read the repository's contents. `value`: the last of the route's path. */
const reading = (answer: (git: Git, request: RepositoryRequest, value: string) => Promise<Answer>): Handle =>
  needing('contents', 'read', (request) =>
    answer(request.world.git(request.name), request, Object.values(request.params).at(-1) ?? ''),
  );

export const readCommit = reading(async (git, { name, query, url, headers, base }, ref) => {
  const oid = await git.resolve(ref);
  const [commit] = oid === null ? [] : await git.commits(oid);
  if (!commit) return refuse(422, `No commit found for SHA: ${ref}`);
  if (headers.accept?.includes('vnd.github.sha'))
    return { status: 200, body: commit.oid, type: 'text/plain' };
  const files = (await changedFiles(git, commit, name, base)).slice(0, FILES_IN_ALL);
  const asked = pageIn(query, 'per_page', FILES_A_PAGE, FILES_A_PAGE);
  const { page } = asked;
  const size = query.has('per_page') ? Math.min(PER_PAGE, asked.size) : asked.size;
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const body = {
    ...commitShape(commit, name, base),
    stats: { total: additions + deletions, additions, deletions },
    files: files
      .slice((page - 1) * size, page * size)
      .map(({ patch, ...file }, index) =>
        index < PATCHES_A_PAGE && patch !== undefined ? { ...file, patch } : file,
      ),
  };
  if (page * size >= files.length) return ok(body);
  return ok(body, linkTo(url, { page: String(page + 1), per_page: String(size) }));
});

export const readTree = reading(async (git, { world, name, query, base }, sha) => {
  const oid = await git.resolve(sha, 'tree');
  if (oid === null) return NOT_FOUND;
  const recursive = query.has('recursive');
  const deep = recursive ? ['-r', '-t'] : [];
  const entries = ((await git.text('ls-tree', ...deep, '-z', '--long', oid)) ?? '')
    .split('\0')
    .filter((entry) => entry !== '');
  const most = world.options.treeEntriesAtMost ?? TREE_ENTRIES;
  const listed = recursive ? firstEntries(entries, most) : entries;
  const tree = listed.map((entry) => {
    const [meta = '', path = ''] = entry.split('\t');
    const [mode = '', type = '', entrySha = '', size = '-'] = meta.split(/ +/);
    const url = `${base}/repos/${name}/git/${type}s/${entrySha}`;
    return { path, mode, type, sha: entrySha, url, ...(size === '-' ? {} : { size: Number(size) }) };
  });
  const body = {
    sha: oid,
    url: `${base}/repos/${name}/git/trees/${oid}`,
    tree,
    truncated: listed.length < entries.length,
  };
  return ok(body);
});

function firstEntries(entries: readonly string[], most: number): readonly string[] {
  let bytes = 0;
  const end = entries.findIndex((entry, index) => {
    bytes += Buffer.byteLength(entry);
    return index === most || bytes > TREE_BYTES;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

/** The commits that the second one has and the first one has not, oldest first. Files are left out: no client of the double reads them. */
export const compareCommits = reading(async (git, { name, query, base }, basehead) => {
  const [older = '', newer = '', more] = basehead.split('...');
  const [from, to] = [await git.resolve(older), await git.resolve(newer)];
  const shared = from && to ? (await git.text('merge-base', from, to))?.trim() : undefined;
  if (!from || !to || !shared || more !== undefined) return NOT_FOUND;
  const counts = await git.text('rev-list', '--left-right', '--count', `${from}...${to}`, '--');
  const [behind_by = 0, ahead_by = 0] = (counts ?? '').trim().split('\t').map(Number);
  const status = ['identical', 'ahead', 'behind', 'diverged'][
    (ahead_by > 0 ? 1 : 0) + (behind_by > 0 ? 2 : 0)
  ];
  const shape = async (oid: string) => {
    const [commit] = await git.commits(oid);
    return commit ? commitShape(commit, name, base) : null;
  };
  const ahead = (await git.commits(`${from}..${to}`, [])).toReversed();
  const listed = entriesOf(ahead, pageIn(query, 'per_page', PER_PAGE));
  const url = `${base}/repos/${name}/compare/${basehead}`;
  const body = {
    url,
    html_url: url,
    permalink_url: url,
    diff_url: `${url}.diff`,
    patch_url: `${url}.patch`,
    base_commit: await shape(from),
    merge_base_commit: await shape(shared),
    status,
    ahead_by,
    behind_by,
    total_commits: ahead_by,
    commits: listed.map((one) => commitShape(one, name, base)),
  };
  return ok(body);
});
