import type { Blame, CodeHost, Commit, Diff, Tree } from '@culprit/core';
import { parseIgnoredNames } from './blame.js';
import { blameFile, entriesOf } from './blame-file.js';
import { type Git, isMissingContent } from './client.js';
import { COMMIT_FORMAT, parseCommits, parseRecent, RECENT_FORMAT } from './commits.js';
import type { GitConfig } from './config.js';
import { parseChangedFiles, parseDiff } from './diff.js';
import { type LinkTemplates, linksFromRemote } from './links.js';
import { presentFiles } from './missing-content.js';
import { previousRelease } from './previous-release.js';
import { isShallowAt, openRepository, type Repository } from './repository.js';
import { lookUp, requireCommit, resolveRevision } from './resolve.js';
import { FULL_SHA, HEAD, hexCandidates } from './revision.js';
import { decode } from './text.js';
import { parseTree } from './tree.js';

const MAX = { paths: 200_000, recent: 100, patchBytes: 8 * 1024 * 1024, ignoredBytes: 1024 * 1024 } as const;
const IGNORED_FILE = '.git-blame-ignore-revs';
/** Fixed options, so that the repository's configuration does not change the output. */
const DIFF_OPTIONS = ['--no-ext-diff', '--no-textconv', '--no-color', '-M50%', '--ignore-submodules=none'];

/** A local repository as code host. Everything is read from objects named by SHA, never from a work tree. */
export function createGitCodeHost(git: Git, links: GitConfig['links']): CodeHost {
  return {
    async tree(path, hints, signal): Promise<Tree> {
      const repository = await openRepository(path);
      const revision = await resolveRevision(git, repository, hints, signal);
      const released = revision.how === 'tag' || revision.how === 'release';
      const [listing, templates, previous] = await Promise.all([
        listPaths(git, repository, revision.sha, signal),
        readLinks(git, repository, links, signal),
        released ? previousRelease(git, repository, revision.sha, signal) : null,
      ]);
      return { revision, previous_release: previous, ...listing, links: templates };
    },

    async blame(path, sha, paths, signal): Promise<Blame> {
      const repository = await openRepository(path);
      const commit = await requireCommit(git, repository, sha, signal);
      const entries = await entriesOf(git, repository, commit, paths, signal);
      const [files, recent, ignored] = await Promise.all([
        Promise.all(paths.map((file) => blameFile(git, repository, commit, file, entries.get(file), signal))),
        readRecent(git, repository, commit, signal),
        readIgnored(git, repository, commit, signal),
      ]);
      return { files, recent, ignored };
    },

    async commits(path, shas, signal): Promise<readonly Commit[]> {
      const repository = await openRepository(path);
      const names = shas.map((sha) => sha.toLowerCase());
      const known = await knownCommits(git, repository, names, signal);
      if (known.length === 0) return [];
      const templates = await readLinks(git, repository, links, signal);
      const args = ['log', '--no-walk=unsorted', `--format=${COMMIT_FORMAT}`];
      const counted = [...args, '--numstat', '-m', '--first-parent', ...DIFF_OPTIONS, ...known, '--'];
      const output = await git.output(repository, counted, { signal }).catch((error: unknown) => {
        // One object missing from a partial clone must not cost all messages; only the line counts are lost.
        if (!isMissingContent(error)) throw error;
        return git.output(repository, [...args, '--no-patch', ...known, '--'], { signal });
      });
      const bySha = new Map(parseCommits(output, templates).map((commit) => [commit.sha, commit]));
      return names.flatMap((name) => bySha.get(name) ?? []);
    },

    async diff(path, sha, signal): Promise<Diff> {
      const repository = await openRepository(path);
      const commit = await requireCommit(git, repository, sha, signal);
      if (await isShallowAt(repository, commit)) return { sha: commit, files: [], truncated: true };
      const range = await rangeOf(git, repository, commit, signal);
      try {
        return { sha: commit, ...(await readDiff(git, repository, [...range, '--'], signal)) };
      } catch (error) {
        if (!isMissingContent(error)) throw error;
        const { paths, missing } = await presentFiles(git, repository, range, signal);
        const read =
          paths.length > 0 ? await readDiff(git, repository, [...range, '--', ...paths], signal) : null;
        return { sha: commit, files: [...(read?.files ?? []), ...missing], truncated: true };
      }
    },
  };
}

async function readDiff(
  git: Git,
  repository: Repository,
  compared: readonly string[],
  signal: AbortSignal,
): Promise<Omit<Diff, 'sha'>> {
  const shared = ['diff-tree', '-r', '--no-commit-id', ...DIFF_OPTIONS];
  const [raw, patch] = await Promise.all([
    git.output(repository, [...shared, '--raw', '-z', ...compared], { signal }),
    git.partial(repository, [...shared, '-p', '-U3', ...compared], { signal, maxBytes: MAX.patchBytes }),
  ]);
  return parseDiff(parseChangedFiles(raw), patch.stdout, patch.cut);
}

/** Lists as many paths as fit within the limit; `truncated` reports the rest. */
async function listPaths(
  git: Git,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<Pick<Tree, 'paths' | 'truncated'>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha, '--'];
  const { stdout, cut } = await git.partial(repository, args, { signal });
  const paths: string[] = [];
  for (const { kind, path } of parseTree(stdout)) {
    if (kind !== 'file') continue;
    if (paths.length === MAX.paths) return { paths: paths.sort(), truncated: true };
    paths.push(path);
  }
  return { paths: paths.sort(), truncated: cut };
}

async function readLinks(
  git: Git,
  repository: Repository,
  links: GitConfig['links'],
  signal: AbortSignal,
): Promise<LinkTemplates> {
  const { commit, line } = links;
  if (commit !== undefined && line !== undefined) return { commit, line };
  const outcome = await git.run(repository, ['config', '--get', 'remote.origin.url'], {
    signal,
    refs: true,
  });
  const remote = linksFromRemote(decode(outcome.stdout).trim());
  return { commit: commit ?? remote.commit, line: line ?? remote.line };
}

/** Without merges, which change nothing that their parents did not. */
async function readRecent(
  git: Git,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<Blame['recent']> {
  const args = [
    'log',
    '-z',
    '--no-merges',
    `--max-count=${MAX.recent}`,
    `--format=${RECENT_FORMAT}`,
    sha,
    '--',
  ];
  return parseRecent(await git.output(repository, args, { signal }));
}

/** The list at the revision, or at HEAD if the revision is older than the list. */
async function readIgnored(
  git: Git,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<Blame['ignored']> {
  const [head] = await lookUp(git, repository, [HEAD], signal);
  for (const revision of [sha, head ?? sha]) {
    const args = ['cat-file', 'blob', `${revision}:${IGNORED_FILE}`];
    const outcome = await git.run(repository, args, { signal, maxBytes: MAX.ignoredBytes });
    if (outcome.kind === 'exited' && outcome.code !== 0) continue;
    const names = parseIgnoredNames(outcome.stdout, outcome.kind === 'cut');
    const abbreviated = names.filter((name) => !FULL_SHA.test(name));
    const found = await lookUp(git, repository, hexCandidates(abbreviated, 'explicit'), signal);
    const resolved = new Map(abbreviated.map((name, index) => [name, found[index] ?? null]));
    return [...new Set(names.flatMap((name) => (FULL_SHA.test(name) ? name : (resolved.get(name) ?? []))))];
  }
  return [];
}

async function knownCommits(
  git: Git,
  repository: Repository,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const full = [...new Set(names)].filter((name) => FULL_SHA.test(name));
  const found = await lookUp(git, repository, hexCandidates(full, 'explicit'), signal);
  return full.filter((name, index) => found[index] === name);
}

/** First parent and commit; a root commit is compared with nothing. */
async function rangeOf(
  git: Git,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const output = await git.output(repository, ['rev-list', '--no-walk', '--parents', sha, '--'], { signal });
  const [, parent] = output.toString('latin1').trim().split(' ');
  return parent === undefined ? ['--root', sha] : [parent, sha];
}
