import { type CodeHost, type Commit, CulpritError, type Tree } from '@culprit/core/connector';
import type { Ancestry, RepositoryQuestions } from '@culprit/core/internal/ports/code-host';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';
import { semaphore } from '@culprit/core/internal/resilience/semaphore';
import { type Ask, type Mirrored, type MirrorSource, type Mirrors, readIntroducers } from '../git/index.js';
import type { RestClient } from '../shared/hosts/client.js';
import { outcomeOf, RequestFailure } from '../shared/hosts/errors.js';
import { type Cache, type CacheContext, cachesOf, GROWING } from '../shared/open-cache.js';
import { ask, read, send, type Target, targetOf } from './ask.js';
import { repositoryName } from './config.js';
import { pullRequestSchema, repositorySchema } from './schema.js';

interface CodeHostParts {
  readonly url: string;
  readonly mirrored: Mirrored;
  readonly pullRequests: PullRequests;
}

const isGuess = ({ how }: Tree['revision']) => how === 'head' || how === 'date';

/**
 * The API has no blame, so a repository is mirrored and read by git; only pull requests come from the API. A revision that the
 * mirror has costs no request.
 */
export class ForgejoCodeHost implements CodeHost {
  readonly questions: RepositoryQuestions;

  constructor(private readonly parts: CodeHostParts) {
    this.questions = parts.mirrored.questions;
  }

  /** The earliest release stays the earliest, so only a mirror without one is refreshed. */
  readonly ancestry: Ancestry = {
    contains: (repository, commit, hints, signal) => {
      const isNamed = hints.commit !== null || hints.release !== null;
      const isFinal = (answer: boolean | null) => answer !== null || !isNamed;
      const ask: Ask<boolean> = (path, { ancestry }) => ancestry?.contains(path, commit, hints, signal);
      return this.parts.mirrored.asked(repository, signal, ask, isFinal);
    },
    range: (repository, from, to, most, signal) =>
      this.parts.mirrored.asked(repository, signal, (path, { ancestry }) =>
        ancestry?.range?.(path, from, to, most, signal),
      ),
    firstRelease: (repository, commit, signal) =>
      this.parts.mirrored.asked(repository, signal, (path, { ancestry }) =>
        ancestry?.firstRelease?.(path, commit, signal),
      ),
  };

  readonly tree: CodeHost['tree'] = async (repository, hints, signal) => {
    const isFinal = (found: Tree | null) => found !== null && !isGuess(found.revision);
    const ask: Ask<Tree> = (path, history) => history.tree(path, hints, signal);
    const tree = await this.parts.mirrored.asked(repository, signal, ask, isFinal);
    if (tree === null) throw new CulpritError('revision_not_found', `${repository} has no commits.`);
    return { ...tree, links: linkTemplates(this.parts.url, repositoryName(repository)) };
  };

  readonly blame: CodeHost['blame'] = (repository, sha, paths, signal) =>
    this.parts.mirrored.known(repository, sha, signal, (path, history) =>
      history.blame(path, sha, paths, signal),
    );

  readonly diff: CodeHost['diff'] = (repository, sha, signal) =>
    this.parts.mirrored.known(repository, sha, signal, (path, history) => history.diff(path, sha, signal));

  readonly commits: CodeHost['commits'] = async (repository, shas, signal) => {
    const { pullRequests, url } = this.parts;
    const found = await this.parts.mirrored.asked(repository, signal, (path, history) =>
      history.commits(path, shas, signal),
    );
    if (found === null) return [];
    const name = repositoryName(repository);
    const pulls = await pullRequests.of(
      repository,
      found.map(({ sha }) => sha),
      signal,
    );
    const link = linkTemplates(url, name).commit ?? '';
    return found.map((commit) => ({
      ...commit,
      // Git knows the accounts of GitHub, which are other people's here.
      author: { name: commit.author.name },
      url: link.replace('{sha}', commit.sha),
      pull_request: pulls.get(commit.sha) ?? null,
    }));
  };
}

/**
 * Templates of a repository's pages. An issue that contains the address of a pull request writes a reference into it, but not
 * one that contains the address of its files.
 */
function linkTemplates(url: string, name: string): Tree['links'] {
  const base = `${url}/${name}`;
  return {
    commit: `${base}/commit/{sha}`,
    line: `${base}/src/commit/{sha}/{path}#L{line}`,
    pull_request: `${base}/pulls/{number}/files`,
  };
}

type PullRequest = NonNullable<Commit['pull_request']>;

const AT_ONCE = 6;
const MAX_COMMITS = 10_000;
const MAX_REPOSITORIES = 16;

/** Where a repository is now. `authorization`: of git, with the token. */
export async function mirrorSource(
  client: RestClient,
  { url, authorization, repository }: Readonly<Record<'url' | 'authorization' | 'repository', string>>,
): Promise<MirrorSource> {
  const target = targetOf(client, repository, new AbortController().signal);
  const found = read(repositorySchema, (await ask(target, 'GET /repos/{owner}/{repo}')).data);
  const place = found.full_name.split('/').map(encodeURIComponent).join('/');
  return {
    url: `${url}/${place}.git`,
    authorization,
    branch: found.default_branch,
    format: found.object_format_name === 'sha256' ? 'sha256' : 'sha1',
  };
}

/** The pull requests by which commits came into the default branch. */
interface PullRequests {
  /** By commit; absent: none is known. A failed request costs only its answer. */
  of(
    repository: string,
    shas: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, PullRequest>>;
}

/**
 * The API names the pull request of the commit that merged it and of no other, so each commit is asked for as the one that brought it
 * into the default branch.
 */
export function pullRequestReader(
  client: RestClient,
  url: string,
  mirrors: Mirrors,
  context: CacheContext,
): PullRequests {
  const limit = semaphore(AT_ONCE);
  /** `null`: the commit has none. */
  const known: Cache<{ readonly pull: PullRequest | null }> = cachesOf(context, 'forgejo')(
    'pull-request',
    MAX_COMMITS,
    GROWING,
  );
  const introducers = boundedMap<string, ReadonlyMap<string, string>>(MAX_REPOSITORIES);

  const introducersOf = async (name: string, signal: AbortSignal) => {
    const key = `${name} ${mirrors.fetchedAt(name)}`;
    const found = introducers.get(key) ?? (await readIntroducers(mirrors.pathOf(name), signal));
    introducers.set(key, found);
    return found;
  };

  return {
    async of(repository, shas, signal) {
      if (shas.length === 0) return new Map();
      const target = targetOf(client, repository, signal);
      const name = repositoryName(repository);
      const merges = await introducersOf(name, signal);
      let failed = false;
      /** `null`: not known. */
      const ask = async (sha: string) => {
        if (failed) return null;
        try {
          return { pull: await pullRequestOf(target, sha) };
        } catch {
          signal.throwIfAborted();
          failed = true;
          return null;
        }
      };
      const wanted = [...new Set(shas.flatMap((sha) => merges.get(sha) ?? []))];
      const answers = await Promise.all(
        wanted.map((sha) => limit(() => known.through(`${url} ${name} ${sha}`, () => ask(sha)), signal)),
      );
      const pulls = new Map(wanted.map((merge, index) => [merge, answers[index]?.pull]));
      return new Map(
        shas.flatMap((sha) => {
          const pull = pulls.get(merges.get(sha) ?? '');
          return pull ? [[sha, pull] as const] : [];
        }),
      );
    },
  };
}

async function pullRequestOf(target: Target, sha: string): Promise<PullRequest | null> {
  const asked = await outcomeOf(send(target, 'GET /repos/{owner}/{repo}/commits/{sha}/pull', { sha }));
  if (asked instanceof RequestFailure) {
    if (asked.failure.status === 404) return null;
    throw asked;
  }
  const { number, html_url, title } = read(pullRequestSchema, asked.data);
  return { number, url: html_url, title };
}
