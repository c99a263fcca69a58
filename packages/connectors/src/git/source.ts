import * as v from 'valibot';
import { entriesOf } from './blame.js';
import { createGit, type Git, type GitReader } from './client.js';
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
  return textAt(git, sha, path);
}

/** The text of a file at a known commit; `null` if there is none, or it is binary or larger than 4 MiB. */
export async function textAt(git: GitReader, sha: string, path: string): Promise<string | null> {
  const entry = (await entriesOf(git, sha, [path])).get(path);
  if (entry?.kind !== 'file' || entry.size === null || entry.size > MAX_BYTES) return null;
  const content = await git.output(['cat-file', 'blob', entry.oid]);
  return isBinary(content) ? null : decode(content);
}

/** Commits of the default branch's recent history that are read. */
const MAX = 10_000;

/**
 * For each commit of the recent history of HEAD, the commit by which it came into the default branch: the merge, or itself if it was
 * made there. Hosts know the pull request of that commit only.
 */
export async function readIntroducers(
  repository: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  shared ??= createGit(v.parse(gitConfig, {}));
  const git = shared.at(await openRepository(repository), signal);
  const args = ['log', '--topo-order', `--max-count=${MAX}`, '--format=%H %P', 'HEAD', '--'];
  const outcome = await git.run(args, { refs: true });
  if (outcome.kind !== 'exited' || outcome.code !== 0) return new Map();
  return introducersOf(decode(outcome.stdout));
}

/** `text`: `SHA PARENT PARENT…` for each commit, HEAD first. */
function introducersOf(text: string): ReadonlyMap<string, string> {
  const parents = new Map<string, readonly string[]>();
  for (const line of text.split('\n')) {
    const [sha, ...rest] = line.trim().split(' ');
    if (sha) parents.set(sha, rest);
  }
  const branch: string[] = [];
  const [head] = parents.keys();
  for (let at = head; at !== undefined && parents.has(at); at = parents.get(at)?.[0]) branch.push(at);
  const found = new Map(branch.map((sha) => [sha, sha]));
  // Oldest first: a merge introduces what no earlier one did.
  for (const merge of branch.reverse()) {
    const open = [...(parents.get(merge)?.slice(1) ?? [])];
    for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
      const before = parents.get(sha);
      if (before === undefined || found.has(sha)) continue;
      found.set(sha, merge);
      open.push(...before);
    }
  }
  return found;
}
