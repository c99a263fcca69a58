import type { Blame, CodeHost, Commit, Diff, Tree } from '@culprit/core/connector';
import { OWNERS_BYTES, OWNERS_PLACES, type OwnersDialect } from '@culprit/core/internal/domain/ownership';
import type { OwnersFile } from '@culprit/core/internal/ports/code-host';
import type { BoundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { commitRange, containsCommit, firstRelease, previousRelease } from './ancestry.js';
import { blameFile, entriesOf, parseIgnoredNames } from './blame.js';
import { type Answers, type Changes, createAnswers, createChanges, type Listing } from './changes.js';
import type { Git, GitReader, PartialOutput } from './client.js';
import { type BareCommit, COMMIT_FORMAT, LISTED_FORMAT, parseCommits, parseListed } from './commits.js';
import type { GitConfig } from './config.js';
import { gapsAt, historyEnds } from './history-ends.js';
import { commitUrl, createLinks, createOrigins } from './links.js';
import { parseObjects, parseTree } from './objects.js';
import { createOpener } from './opener.js';
import { createQuestions } from './questions.js';
import type { Opened } from './repository.js';
import { HEAD, hexCandidates, lookUp, requireCommit, resolveRevision } from './revision.js';
import { decode, FULL_SHA, isBinary } from './text.js';

const MAX = { paths: 200_000, recent: 100, ignoredBytes: 1024 * 1024 } as const;
const IGNORED_FILE = '.git-blame-ignore-revs';
/**
 * A local repository as code host. Everything is read from objects named by SHA, never from a work tree. Answers are kept in
 * memory; a failure never is. `onBlamed` is called with each repository that was blamed.
 */
export function createGitCodeHost(
  client: Git,
  { links, repositorySetting, timeoutMs }: Pick<GitConfig, 'links' | 'repositorySetting' | 'timeoutMs'>,
  onBlamed: (repository: string) => void = () => {},
): CodeHost {
  const answers = createAnswers();
  const changes = createChanges(answers);
  const origins = createOrigins();
  const remoteLinks = createLinks(links, origins);
  /** The revision that each request is about. */
  const revisions = new WeakMap<AbortSignal, string>();
  const open = createOpener(client, repositorySetting);
  return {
    async tree(path, hints, signal): Promise<Tree> {
      const opened = await open(path, signal);
      const { git, repository } = opened;
      const revision = await resolveRevision(git, hints);
      revisions.set(signal, revision.sha);
      const released = revision.how === 'tag' || revision.how === 'release';
      const key = `${repository.key} ${revision.sha}`;
      const [listing, templates, previous, gaps] = await Promise.all([
        kept(answers.trees, key, () => listPaths(git, revision.sha)),
        remoteLinks(opened),
        released ? previousRelease(git, revision.sha) : null,
        historyEnds(opened).then((ends) => gapsAt(opened, revision.sha, ends)),
      ]);
      const known = gaps.length === 0 ? {} : { gaps };
      return { revision, previous_release: previous, ...listing, ...known, links: templates };
    },

    async blame(path, sha, paths, signal): Promise<Blame> {
      const opened = await open(path, signal);
      const { git, repository } = opened;
      const commit = await requireCommit(git, sha);
      const key = `${repository.key} ${commit}`;
      const unknown = paths.filter((file) => !answers.files.has(`${key} ${file}`));
      const entries = await entriesOf(git, commit, unknown);
      // The changes of these commits are asked for next, and blame leaves a processor idle.
      const ahead = (commits: readonly { readonly sha: string }[]) => {
        if (revisions.get(signal) === commit) void readAhead(opened, changes, commits);
      };
      const blamed = async (file: string) => {
        const known = answers.files.get(`${key} ${file}`);
        if (known) return known;
        const found = await blameFile(git, commit, file, entries.get(file), ahead);
        if (found.status === 'ok') answers.files.set(`${key} ${file}`, found);
        return found;
      };
      const [files, recent, ignored] = await Promise.all([
        Promise.all(paths.map(blamed)),
        kept(answers.recent, key, () => readRecent(git, commit)).then((found) => {
          ahead(found);
          return found;
        }),
        readIgnored(git, commit),
      ]);
      onBlamed(path);
      return { files, recent, ignored };
    },

    async commits(path, shas, signal): Promise<readonly Commit[]> {
      const opened = await open(path, signal);
      const names = shas.map((sha) => sha.toLowerCase());
      const bySha = await readCommits(opened, answers, changes, names);
      if (bySha.size === 0) return [];
      const [templates, ends] = await Promise.all([remoteLinks(opened), historyEnds(opened)]);
      const counted = await Promise.all(
        [...bySha.keys()].map(async (sha) => [sha, await changes.counts(opened, sha)] as const),
      );
      const counts = new Map(counted);
      return names.flatMap((name) => {
        const [bare, lines] = [bySha.get(name), counts.get(name)];
        if (!bare || !lines) return [];
        const end = ends.get(name);
        const known = end === undefined ? bare : { ...bare, history_ends: end };
        return { ...known, ...lines, url: commitUrl(templates, name), pull_request: null };
      });
    },

    async diff(path, sha, signal): Promise<Diff> {
      const opened = await open(path, signal);
      const name = sha.toLowerCase();
      const commit = changes.knows(opened, name) ? name : await requireCommit(opened.git, sha);
      return changes.diff(opened, commit);
    },

    owners: {
      async file(path, sha, signal): Promise<OwnersFile | null> {
        const opened = await open(path, signal);
        const commit = await requireCommit(opened.git, sha);
        const origin = await origins(opened);
        const key = `${opened.repository.key} ${commit} ${origin}`;
        const read = async () => ({ file: await readOwnersFile(opened.git, commit, origin) });
        return (await kept(answers.owners, key, read)).file;
      },
    },

    ancestry: {
      contains: async (path, commit, hints, signal) =>
        containsCommit(await open(path, signal), commit, hints),
      firstRelease: async (path, commit, signal) => firstRelease(await open(path, signal), commit),
      range: async (path, from, to, most, signal) => commitRange(await open(path, signal), from, to, most),
    },

    questions: createQuestions(open, timeoutMs),
  };
}

async function kept<T extends {}>(
  answers: BoundedMap<string, T>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const found = answers.get(key) ?? (await read());
  answers.set(key, found);
  return found;
}

/** One after another, so that it takes little time from requests that somebody waits for. Requests that fail are repeated. */
async function readAhead(
  opened: Opened,
  changes: Changes,
  commits: readonly { readonly sha: string }[],
): Promise<void> {
  try {
    const shas = commits.map(({ sha }) => sha);
    await changes.learnParents(opened, shas);
    await changes.readAll(opened, shas, 'in turn');
  } catch {}
}

async function readCommits(
  opened: Opened,
  answers: Answers,
  changes: Changes,
  names: readonly string[],
): Promise<ReadonlyMap<string, BareCommit>> {
  const { git, repository } = opened;
  const keyOf = (sha: string) => `${repository.key} ${sha}`;
  const unknown = names.filter((sha) => !answers.commits.has(keyOf(sha)));
  const existing = await changes.learnParents(opened, unknown);
  const args = ['log', '--no-walk=unsorted', '--no-patch', `--format=${COMMIT_FORMAT}`];
  const known = names.filter((sha) => answers.commits.has(keyOf(sha)));
  const [read] = await Promise.all([
    existing.length === 0 ? [] : git.output([...args, ...existing, '--']).then(parseCommits),
    changes.readAll(opened, [...known, ...existing]),
  ]);
  for (const commit of read) answers.commits.set(keyOf(commit.sha), commit);
  const fresh = new Map(read.map((commit) => [commit.sha, commit]));
  return new Map(
    names.flatMap((sha) => {
      const commit = fresh.get(sha) ?? answers.commits.get(keyOf(sha));
      return commit ? [[sha, commit] as const] : [];
    }),
  );
}

/** Lists as many paths as fit within the limit; `truncated` reports the rest. */
async function listPaths(git: GitReader, sha: string): Promise<Listing> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha, '--'];
  const { stdout, cut } = await git.partial(args);
  const paths: string[] = [];
  const submodules: string[] = [];
  const listing = (truncated: boolean) => ({
    paths: paths.sort(),
    truncated,
    ...(submodules.length === 0 ? {} : { submodules }),
  });
  for (const { kind, path } of parseTree(stdout)) {
    if (kind === 'submodule') submodules.push(path);
    if (kind !== 'file') continue;
    if (paths.length === MAX.paths) return listing(true);
    paths.push(path);
  }
  return listing(cut);
}

/** Without merges, which change nothing that their parents did not. */
async function readRecent(git: GitReader, sha: string): Promise<Blame['recent']> {
  const options = ['-z', '--no-merges', `--max-count=${MAX.recent}`, `--format=${LISTED_FORMAT}`];
  return parseListed(await git.output(['log', ...options, sha, '--']));
}

/** The list at the revision, or at HEAD if the revision is older than the list. */
async function readIgnored(git: GitReader, sha: string): Promise<Blame['ignored']> {
  const atHead = async () => {
    const [head] = await lookUp(git, [HEAD]);
    return head === undefined || head === null || head === sha ? null : readIgnoredFile(git, head);
  };
  const file = (await readIgnoredFile(git, sha)) ?? (await atHead());
  if (file === null) return [];
  const names = parseIgnoredNames(file.stdout, file.cut);
  const abbreviated = names.filter((name) => !FULL_SHA.test(name));
  const found = await lookUp(git, hexCandidates(abbreviated, 'explicit'));
  const resolved = new Map(abbreviated.map((name, index) => [name, found[index] ?? null]));
  return [...new Set(names.flatMap((name) => (FULL_SHA.test(name) ? name : (resolved.get(name) ?? []))))];
}

async function readIgnoredFile(git: GitReader, sha: string): Promise<PartialOutput | null> {
  const { stdout, cut } = await git.askPartly('objects', [`${sha}:${IGNORED_FILE}`], MAX.ignoredBytes);
  const [file] = parseObjects(stdout, 1);
  return file?.type === 'blob' ? { stdout: file.content, cut } : null;
}

/** The header of `git cat-file --batch` before the file. */
const HEADER_BYTES = 200;

/**
 * The code owners file at a commit. A repository on disk does not say whose rules it follows: GitLab's if `origin` is on a
 * host whose name contains `gitlab`, or if the file is where only GitLab looks; else GitHub's.
 */
async function readOwnersFile(git: GitReader, commit: string, origin: string): Promise<OwnersFile | null> {
  const read = (places: readonly string[], dialect: OwnersDialect) => firstOf(git, commit, places, dialect);
  if (isOnGitlab(origin)) return read(OWNERS_PLACES.gitlab, 'gitlab');
  const onlyGitlab = OWNERS_PLACES.gitlab.filter((place) => !OWNERS_PLACES.github.includes(place));
  return (await read(OWNERS_PLACES.github, 'github')) ?? read(onlyGitlab, 'gitlab');
}

function isOnGitlab(origin: string): boolean {
  const [, host = ''] = /^(?:[a-z+]+:\/\/)?(?:[^@/\s]*@)?([A-Za-z0-9.-]{1,253})[:/]/.exec(origin) ?? [];
  return /gitlab/i.test(host);
}

async function firstOf(
  git: GitReader,
  commit: string,
  places: readonly string[],
  dialect: OwnersDialect,
): Promise<OwnersFile | null> {
  for (const path of places) {
    const { stdout, cut } = await git.askPartly(
      'objects',
      [`${commit}:${path}`],
      OWNERS_BYTES + HEADER_BYTES,
    );
    const [file] = parseObjects(stdout, 1);
    if (file?.type !== 'blob') continue;
    const { content } = file;
    const isWhole = !cut && content.length < OWNERS_BYTES && !isBinary(content);
    return { path, dialect, text: isWhole ? decode(content) : null };
  }
  return null;
}
