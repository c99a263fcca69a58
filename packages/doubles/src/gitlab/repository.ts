import { EMPTY_TREE, Git, type GitCommit } from '../shared/git.js';
import { linkTo, pageIn } from '../shared/http.js';
import { dateOf, type Handle, notFound, ok, type ProjectRequest, paged, refuse } from './answer.js';

export const history = ({ repository }: Pick<ProjectRequest, 'repository'>) =>
  new Git(repository.git, dateOf);

function shapeOf(commit: GitCommit, { base, project }: ProjectRequest) {
  const { oid: id, parents, author, committer, message } = commit;
  const first = message.split('\n', 1)[0] ?? '';
  return {
    id,
    short_id: id.slice(0, 8),
    created_at: committer.date,
    parent_ids: parents,
    title: first.length < 100 ? first : `${first.slice(0, 80)}…`,
    message: `${message}\n`,
    author_name: author.name,
    author_email: author.email,
    authored_date: author.date,
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committer.date,
    trailers: {},
    web_url: `${base}/${project}/-/commit/${id}`,
  };
}

export const listCommits: Handle = async (request) => {
  const { query } = request;
  const { page, size } = pageIn(query, 'per_page', 20);
  const until = query.get('until');
  const options = [`--max-count=${size}`, `--skip=${(page - 1) * size}`];
  if (until !== null) options.push(`--until=${until}`);
  const listed = await history(request).commits(
    query.get('ref_name') || 'HEAD',
    options,
    query.get('path') ?? undefined,
  );
  return ok(listed.map((commit) => shapeOf(commit, request)));
};

/** `null`: there is no such commit. */
async function commitOf(request: ProjectRequest): Promise<GitCommit | null> {
  const [found] = await history(request).commits(request.params.sha ?? '');
  return found ?? null;
}

export const readCommit: Handle = async (request) => {
  const commit = await commitOf(request);
  if (commit === null) return notFound('Commit');
  const shape = shapeOf(commit, request);
  if (request.query.get('stats') === 'false') return ok(shape);
  const range = [commit.parents[0] ?? EMPTY_TREE, commit.oid];
  const text = (await history(request).text('diff-tree', '-r', '-M', '--numstat', ...range)) ?? '';
  const counts = text.split('\n').map((line) => line.split('\t').map(Number));
  const sum = (column: number) => counts.reduce((all, one) => all + (one[column] || 0), 0);
  const [additions, deletions] = [sum(0), sum(1)];
  return ok({ ...shape, stats: { additions, deletions, total: additions + deletions } });
};

export const readDiff: Handle = async (request) => {
  const commit = await commitOf(request);
  if (commit === null) return notFound('Commit');
  const { diffFilesAtMost = 1_000, diffCharsAtMost = 200 * 1024, collapsesDiffs = false } = request.options;
  const range = [commit.parents[0] ?? EMPTY_TREE, commit.oid];
  const raw = (await history(request).text('diff-tree', '-r', '-M', '--raw', '-z', ...range)) ?? '';
  const patch = (await history(request).text('diff-tree', '-r', '-M', '-p', ...range)) ?? '';
  const texts = patch.split(/^diff --git .*\n/m).slice(1);
  const fields = raw.split('\0').filter((field) => field !== '');
  const files = [];
  for (let at = 0; at < fields.length; ) {
    const [a_mode = '', b_mode = '', , , letter = 'M'] = (fields[at++] ?? '').slice(1).split(' ');
    const old_path = fields[at++] ?? '';
    const new_path = /^[RC]/.test(letter) ? (fields[at++] ?? '') : old_path;
    const text = bodyOf(texts[files.length] ?? '');
    const too_large = text.length > diffCharsAtMost;
    const collapsed = collapsesDiffs && !too_large && text.length >= diffCharsAtMost / 10;
    files.push({
      diff: too_large || collapsed ? '' : text,
      collapsed,
      too_large,
      new_path,
      old_path,
      a_mode,
      b_mode,
      new_file: letter === 'A',
      renamed_file: letter.startsWith('R'),
      deleted_file: letter === 'D',
      generated_file: false,
    });
  }
  return paged(files.slice(0, diffFilesAtMost), request);
};

/** From the first hunk on, or that binary files differ. */
function bodyOf(text: string): string {
  return /^(?:@@ |Binary files )[\s\S]*/m.exec(text)?.[0] ?? '';
}

export const listRefs: Handle = async (request) => {
  const commit = await commitOf(request);
  if (commit === null) return notFound('Commit');
  const format = '--format=%(refname)';
  const text = await history(request).text(
    'for-each-ref',
    '--contains',
    commit.oid,
    format,
    'refs/heads',
    'refs/tags',
  );
  const names = (text ?? '').split('\n').filter((name) => name !== '');
  const refs = names.map((name) => {
    const [, kind, ...rest] = name.split('/');
    return { type: kind === 'tags' ? 'tag' : 'branch', name: rest.join('/') };
  });
  return paged(refs, request);
};

export const mergeRequestsOf: Handle = async (request) => {
  const commit = await commitOf(request);
  if (commit === null) return notFound('Commit');
  const { mergeRequests = [] } = request.repository;
  const found = mergeRequests.filter(({ commits }) => commits.includes(commit.oid));
  return paged(
    found.map((one) => mergeRequestShape(request, one)),
    request,
  );
};

export function mergeRequestShape(
  { base, project }: ProjectRequest,
  {
    iid,
    title,
    state,
    merged_at,
    merge_commit_sha,
    commits,
  }: NonNullable<ProjectRequest['repository']['mergeRequests']>[number],
) {
  const web_url = `${base}/${project}/-/merge_requests/${iid}`;
  const merged = { merged_at: merged_at ?? null, merge_commit_sha: merge_commit_sha ?? null };
  return { iid, title, state, web_url, ...merged, squash_commit_sha: null, sha: commits.at(-1) ?? null };
}

export const mergeBase: Handle = async (request) => {
  const refs = request.query.getAll('refs[]');
  const ids = await Promise.all(refs.map((ref) => history(request).resolve(ref)));
  const unknown = refs.filter((_, index) => ids[index] === null);
  if (refs.length < 2) return refuse(400, 'Provide at least 2 refs');
  if (unknown.length > 0) return refuse(400, `Could not find ref: ${unknown.join(', ')}`);
  const found = (await history(request).text('merge-base', ...ids.flatMap((id) => id ?? [])))?.trim();
  const [commit] = found ? await history(request).commits(found) : [];
  return commit ? ok(shapeOf(commit, request)) : notFound('Merge Base');
};

export const listTags: Handle = async (request) => {
  const { query } = request;
  const text = await history(request).text(
    'for-each-ref',
    '--format=%(refname)',
    'refs/tags',
    '--sort=-creatordate',
  );
  const search = query.get('search') ?? '';
  const names = (text ?? '')
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => name.slice('refs/tags/'.length))
    .filter((name) =>
      search.startsWith('^')
        ? name.startsWith(search.slice(1))
        : search.endsWith('$')
          ? name.endsWith(search.slice(0, -1))
          : name.toLowerCase().includes(search.toLowerCase()),
    );
  const answer = paged(names, request);
  const shown = await Promise.all((answer.body as string[]).map((name) => tagShape(request, name)));
  return { ...answer, body: shown };
};

async function tagShape(request: ProjectRequest, name: string) {
  const [commit] = await history(request).commits(`refs/tags/${name}`);
  const made = (
    await history(request).text('for-each-ref', '--format=%(taggerdate:iso-strict)', `refs/tags/${name}`)
  )?.trim();
  return {
    ...{ name, message: '', target: commit?.oid ?? null, commit: commit ? shapeOf(commit, request) : null },
    created_at: made || null,
  };
}

export const listReleases: Handle = async (request) => {
  const shown = await Promise.all(
    Object.entries(request.repository.releases ?? {}).map(async ([tag_name, name]) => {
      const { commit } = await tagShape(request, tag_name);
      return { tag_name, name, commit };
    }),
  );
  return paged(shown, request);
};

export const listDeployments: Handle = (request) => {
  const { deployments = [] } = request.repository;
  const sorted = [...deployments].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  const shown = sorted.map(({ environment, ...rest }, index) => ({
    id: 900 - index,
    iid: sorted.length - index,
    ...rest,
    environment: { id: 5, name: environment },
  }));
  return paged(shown, request);
};

export const readTree: Handle = async (request) => {
  const { query, url } = request;
  const ref = query.get('ref') || 'HEAD';
  const id = await history(request).resolve(ref);
  if (id === null) return notFound('Tree');
  const path = query.get('path');
  const recursive = query.get('recursive') === 'true' ? ['-r', '-t'] : [];
  const of = path ? ['--', `${path}/`] : [];
  const text = (await history(request).text('ls-tree', '-z', ...recursive, id, ...of)) ?? '';
  const entries = text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, mode, type, oid, name = ''] = /^(\d+) (\w+) (\w+)\t([\s\S]*)$/.exec(entry) ?? [];
      return { id: oid, name: name.split('/').at(-1), type, path: name, mode };
    });
  if (path && entries.length === 0) return notFound('invalid revision or path Tree');
  if (query.get('pagination') !== 'keyset') return paged(entries, request);
  const after = query.get('page_token');
  const start = after === null ? 0 : entries.findIndex(({ path: at }) => cursorOf(at) === after) + 1;
  const { size } = pageIn(query, 'per_page', 20);
  const page = entries.slice(start, start + size);
  const more = start + size < entries.length;
  return ok(page, more ? linkTo(url, { page_token: cursorOf(page.at(-1)?.path ?? '') }) : {});
};

/** Opaque to clients. */
function cursorOf(path: string): string {
  return Buffer.from(path).toString('base64url');
}
