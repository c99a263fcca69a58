import { type Answer, type Handle, notFound, ok, type ProjectRequest } from './answer.js';
import { history } from './repository.js';

/** The file at a revision, or why there is none. */
async function blobOf(request: ProjectRequest): Promise<{ id: string; bytes: Buffer } | Answer> {
  const id = await history(request).resolve(request.query.get('ref') ?? '');
  if (id === null) return notFound('Commit');
  const path = request.params.file_path ?? '';
  if (path.startsWith('/') || /(^|\/)\.\.(\/|$)/.test(path))
    return { status: 400, body: { error: 'file_path should be a valid file path' } };
  const bytes = await history(request).bytes('cat-file', 'blob', `${id}:${path}`);
  return bytes === null ? notFound('File') : { id, bytes };
}

export const readFile: Handle = async (request) => {
  const blob = await blobOf(request);
  if ('status' in blob) return blob;
  const file_path = request.params.file_path ?? '';
  return ok({
    file_name: file_path.split('/').at(-1),
    file_path,
    size: blob.bytes.length,
    encoding: 'base64',
    ref: request.query.get('ref'),
    commit_id: blob.id,
    content: blob.bytes.toString('base64'),
  });
};

/** Groups of lines of the same commit, in the file's order, without line numbers. */
export const blameFile: Handle = async (request) => {
  const blob = await blobOf(request);
  if ('status' in blob) return blob;
  const path = request.params.file_path ?? '';
  const text = (await history(request).text('blame', '--line-porcelain', blob.id, '--', path)) ?? '';
  const groups: { id: string; lines: string[] }[] = [];
  let current = '';
  for (const line of text.split('\n')) {
    const header = /^([0-9a-f]{40}) \d+ \d+/.exec(line);
    if (header) current = header[1] ?? '';
    if (!line.startsWith('\t')) continue;
    if (groups.at(-1)?.id !== current) groups.push({ id: current, lines: [] });
    groups.at(-1)?.lines.push(line.slice(1));
  }
  const shown = await Promise.all(
    groups.map(async ({ id, lines }) => {
      const [commit] = await history(request).commits(id);
      if (commit === undefined) return { commit: null, lines };
      const { parents, author, committer, message } = commit;
      return {
        commit: {
          ...{ id, parent_ids: parents, message: `${message}\n` },
          ...{ authored_date: author.date, author_name: author.name, author_email: author.email },
          ...{ committed_date: committer.date, committer_name: committer.name },
        },
        lines,
      };
    }),
  );
  return ok(shown);
};
