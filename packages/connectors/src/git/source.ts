import * as v from 'valibot';
import { entriesOf } from './blame-file.js';
import { createGit, type Git } from './client.js';
import { gitConfig } from './config.js';
import { openRepository } from './repository.js';
import { decode, isBinary } from './text.js';

const MAX_BYTES = 4 * 1024 * 1024;
let shared: Git | null = null;

/**
 * A file's text at a full commit SHA of a local repository, for display. `null` if the commit or file does not exist, or
 * the file is binary or larger than 4 MiB. Rejects with `repository_not_found` and related codes.
 */
export async function readSource(
  repository: string,
  sha: string,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) return null;
  shared ??= createGit(v.parse(gitConfig, {}));
  const git = shared.at(await openRepository(repository), signal);
  const known = await git.run(['cat-file', '-e', `${sha}^{commit}`]);
  if (known.kind !== 'exited' || known.code !== 0) return null;
  const entry = (await entriesOf(git, sha, [path])).get(path);
  if (entry?.kind !== 'file' || entry.size === null || entry.size > MAX_BYTES) return null;
  const content = await git.output(['cat-file', 'blob', entry.oid]);
  return isBinary(content) ? null : decode(content);
}
