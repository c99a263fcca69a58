import type { Blame, CodeHost, Commit, Diff, Tree } from '@culprit/core';
import { parseIgnoredNames } from './blame.js';
import { blameFile, entriesOf } from './blame-file.js';
import { type Git, type GitReader, isMissingContent } from './client.js';
import { COMMIT_FORMAT, parseCommits, parseRecent, RECENT_FORMAT } from './commits.js';
import type { GitConfig } from './config.js';
import { parseChangedFiles, parseDiff } from './diff.js';
import { type LinkTemplates, linksFromRemote } from './links.js';
import { presentFiles } from './missing-content.js';
import { previousRelease } from './previous-release.js';
import { isShallowAt, openRepository } from './repository.js';
import { lookUp, requireCommit, resolveRevision } from './resolve.js';
import { FULL_SHA, HEAD, hexCandidates } from './revision.js';
import { decode } from './text.js';
import { parseTree } from './tree.js';

const MAX = { paths: 200_000, recent: 100, patchBytes: 8 * 1024 * 1024, ignoredBytes: 1024 * 1024 } as const;
const IGNORED_FILE = '.git-blame-ignore-revs';
/** Fixed options, so that the repository's configuration does not change the output. */
const DIFF_OPTIONS = ['--no-ext-diff', '--no-textconv', '--no-color', '-M50%', '--ignore-submodules=none'];

/** A local repository as code host. Everything is read from objects named by SHA, never from a work tree. */
export function createGitCodeHost(client: Git, links: GitConfig['links']): CodeHost {
  const open = async (path: string, signal: AbortSignal) => client.at(await openRepository(path), signal);
  return {
    async tree(path, hints, signal): Promise<Tree> {
      const git = await open(path, signal);
      const revision = await resolveRevision(git, hints);
      const released = revision.how === 'tag' || revision.how === 'release';
      const [listing, templates, previous] = await Promise.all([
        listPaths(git, revision.sha),
        readLinks(git, links),
        released ? previousRelease(git, revision.sha) : null,
      ]);
      return { revision, previous_release: previous, ...listing, links: templates };
    },

    async blame(path, sha, paths, signal): Promise<Blame> {
      const git = await open(path, signal);
      const commit = await requireCommit(git, sha);
      const entries = await entriesOf(git, commit, paths);
      const [files, recent, ignored] = await Promise.all([
        Promise.all(paths.map((file) => blameFile(git, commit, file, entries.get(file)))),
        readRecent(git, commit),
        readIgnored(git, commit),
      ]);
      return { files, recent, ignored };
    },

    async commits(path, shas, signal): Promise<readonly Commit[]> {
      const git = await open(path, signal);
      const names = shas.map((sha) => sha.toLowerCase());
      const known = await knownCommits(git, names);
      if (known.length === 0) return [];
      const templates = await readLinks(git, links);
      const args = ['log', '--no-walk=unsorted', `--format=${COMMIT_FORMAT}`];
      const counted = [...args, '--numstat', '-m', '--first-parent', ...DIFF_OPTIONS, ...known, '--'];
      const output = await git.output(counted).catch((error: unknown) => {
        // One object missing from a partial clone must not cost all messages; only the line counts are lost.
        if (!isMissingContent(error)) throw error;
        return git.output([...args, '--no-patch', ...known, '--']);
      });
      const bySha = new Map(parseCommits(output, templates).map((commit) => [commit.sha, commit]));
      return names.flatMap((name) => bySha.get(name) ?? []);
    },

    async diff(path, sha, signal): Promise<Diff> {
      const repository = await openRepository(path);
      const git = client.at(repository, signal);
      const commit = await requireCommit(git, sha);
      if (await isShallowAt(repository, commit)) return { sha: commit, files: [], truncated: true };
      const range = await rangeOf(git, commit);
      try {
        return { sha: commit, ...(await readDiff(git, [...range, '--'])) };
      } catch (error) {
        if (!isMissingContent(error)) throw error;
        const { paths, missing } = await presentFiles(git, range);
        const read = paths.length > 0 ? await readDiff(git, [...range, '--', ...paths]) : null;
        return { sha: commit, files: [...(read?.files ?? []), ...missing], truncated: true };
      }
    },
  };
}

async function readDiff(git: GitReader, compared: readonly string[]): Promise<Omit<Diff, 'sha'>> {
  const shared = ['diff-tree', '-r', '--no-commit-id', ...DIFF_OPTIONS];
  const [raw, patch] = await Promise.all([
    git.output([...shared, '--raw', '-z', ...compared]),
    git.partial([...shared, '-p', '-U3', ...compared], { maxBytes: MAX.patchBytes }),
  ]);
  return parseDiff(parseChangedFiles(raw), patch.stdout, patch.cut);
}

/** Lists as many paths as fit within the limit; `truncated` reports the rest. */
async function listPaths(git: GitReader, sha: string): Promise<Pick<Tree, 'paths' | 'truncated'>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha, '--'];
  const { stdout, cut } = await git.partial(args);
  const paths: string[] = [];
  for (const { kind, path } of parseTree(stdout)) {
    if (kind !== 'file') continue;
    if (paths.length === MAX.paths) return { paths: paths.sort(), truncated: true };
    paths.push(path);
  }
  return { paths: paths.sort(), truncated: cut };
}

async function readLinks(git: GitReader, links: GitConfig['links']): Promise<LinkTemplates> {
  const { commit, line } = links;
  if (commit !== undefined && line !== undefined) return { commit, line };
  const outcome = await git.run(['config', '--get', 'remote.origin.url'], { refs: true });
  const remote = linksFromRemote(decode(outcome.stdout).trim());
  return { commit: commit ?? remote.commit, line: line ?? remote.line };
}

/** Without merges, which change nothing that their parents did not. */
async function readRecent(git: GitReader, sha: string): Promise<Blame['recent']> {
  const options = ['-z', '--no-merges', `--max-count=${MAX.recent}`, `--format=${RECENT_FORMAT}`];
  return parseRecent(await git.output(['log', ...options, sha, '--']));
}

/** The list at the revision, or at HEAD if the revision is older than the list. */
async function readIgnored(git: GitReader, sha: string): Promise<Blame['ignored']> {
  const [head] = await lookUp(git, [HEAD]);
  for (const revision of [sha, head ?? sha]) {
    const args = ['cat-file', 'blob', `${revision}:${IGNORED_FILE}`];
    const outcome = await git.run(args, { maxBytes: MAX.ignoredBytes });
    if (outcome.kind === 'exited' && outcome.code !== 0) continue;
    const names = parseIgnoredNames(outcome.stdout, outcome.kind === 'cut');
    const abbreviated = names.filter((name) => !FULL_SHA.test(name));
    const found = await lookUp(git, hexCandidates(abbreviated, 'explicit'));
    const resolved = new Map(abbreviated.map((name, index) => [name, found[index] ?? null]));
    return [...new Set(names.flatMap((name) => (FULL_SHA.test(name) ? name : (resolved.get(name) ?? []))))];
  }
  return [];
}

async function knownCommits(git: GitReader, names: readonly string[]): Promise<readonly string[]> {
  const full = [...new Set(names)].filter((name) => FULL_SHA.test(name));
  const found = await lookUp(git, hexCandidates(full, 'explicit'));
  return full.filter((name, index) => found[index] === name);
}

/** First parent and commit; a root commit is compared with nothing. */
async function rangeOf(git: GitReader, sha: string): Promise<readonly string[]> {
  const output = await git.output(['rev-list', '--no-walk', '--parents', sha, '--']);
  const [, parent] = output.toString('latin1').trim().split(' ');
  return parent === undefined ? ['--root', sha] : [parent, sha];
}
