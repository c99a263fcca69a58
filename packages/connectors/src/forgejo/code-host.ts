import {
  type Ancestry,
  type Blame,
  type CodeHost,
  type Commit,
  type CommitRange,
  CulpritError,
  type Diff,
  isCulpritError,
  type RevisionHints,
  type Tree,
} from '@culprit/core';
import type { MirrorSource, Mirrors } from '../git/index.js';
import { read } from '../shared/read-answer.js';
import { type ForgejoClient, repositoryPath } from './client.js';
import { repositoryName } from './config.js';
import { codeHostError, unreadable } from './errors.js';
import { linkTemplates } from './links.js';
import type { PullRequests } from './pull-requests.js';
import { repositorySchema } from './schema.js';

/** A mirror of this age is current enough for a crash that names no revision. */
const FRESH_MS = 60_000;

export interface CodeHostParts {
  readonly client: ForgejoClient;
  readonly url: string;
  /** For git: the token in the header `Authorization`. */
  readonly authorization: string;
  readonly mirrors: Mirrors;
  /** Reads a mirror by its path. */
  readonly history: CodeHost;
  readonly pullRequests: PullRequests;
}

/**
 * The API has no blame, so a repository is mirrored and read by git; only pull requests come from the API. A revision that the
 * mirror has costs no request.
 */
export class ForgejoCodeHost implements CodeHost {
  readonly ancestry: Ancestry;

  constructor(private readonly parts: CodeHostParts) {
    this.ancestry = {
      contains: (...asked) => this.contains(...asked),
      range: (...asked) => this.range(...asked),
      firstRelease: (...asked) => this.firstRelease(...asked),
    };
  }

  async tree(repository: string, hints: RevisionHints, signal: AbortSignal): Promise<Tree> {
    const { mirrors, history, url } = this.parts;
    const name = repositoryName(repository);
    await this.present(repository, name, signal);
    let tree = await history.tree(mirrors.pathOf(name), hints, signal).catch(nullIfUnknown);
    const named = tree !== null && tree.revision.how !== 'head' && tree.revision.how !== 'date';
    if (!named && (await this.refreshed(repository, name, signal)))
      tree = await history.tree(mirrors.pathOf(name), hints, signal).catch(nullIfUnknown);
    if (tree === null) throw new CulpritError('revision_not_found', `${repository} has no commits.`);
    return { ...tree, links: linkTemplates(url, name) };
  }

  blame(repository: string, sha: string, paths: readonly string[], signal: AbortSignal): Promise<Blame> {
    return this.known(repository, sha, signal, (path) => this.parts.history.blame(path, sha, paths, signal));
  }

  async commits(
    repository: string,
    shas: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Commit[]> {
    const { mirrors, history, pullRequests, url } = this.parts;
    const name = repositoryName(repository);
    await this.present(repository, name, signal);
    const found = await history.commits(mirrors.pathOf(name), shas, signal);
    const pulls = await pullRequests.of(
      name,
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
  }

  diff(repository: string, sha: string, signal: AbortSignal): Promise<Diff> {
    return this.known(repository, sha, signal, (path) => this.parts.history.diff(path, sha, signal));
  }

  private async contains(
    repository: string,
    commit: string,
    hints: RevisionHints,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    const name = repositoryName(repository);
    const ask = async () =>
      (await this.parts.history.ancestry?.contains(this.parts.mirrors.pathOf(name), commit, hints, signal)) ??
      null;
    await this.present(repository, name, signal);
    const answer = await ask();
    if (answer !== null || (hints.commit === null && hints.release === null)) return answer;
    return (await this.refreshed(repository, name, signal)) ? ask() : null;
  }

  private async range(
    repository: string,
    from: string,
    to: string,
    most: number,
    signal: AbortSignal,
  ): Promise<CommitRange | null> {
    const name = repositoryName(repository);
    const { history, mirrors } = this.parts;
    const ask = async () =>
      (await history.ancestry?.range?.(mirrors.pathOf(name), from, to, most, signal)) ?? null;
    await this.present(repository, name, signal);
    const answer = await ask();
    return answer === null && (await this.refreshed(repository, name, signal)) ? ask() : answer;
  }

  /** The earliest release stays the earliest, so only a mirror without one is refreshed. */
  private async firstRelease(
    repository: string,
    commit: string,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { mirrors, history } = this.parts;
    const name = repositoryName(repository);
    const ask = async () =>
      (await history.ancestry?.firstRelease?.(mirrors.pathOf(name), commit, signal)) ?? null;
    await this.present(repository, name, signal);
    return (await ask()) ?? ((await this.refreshed(repository, name, signal)) ? ask() : null);
  }

  /** Asks once more after a fetch if the mirror does not have the commit. */
  private async known<T>(
    repository: string,
    sha: string,
    signal: AbortSignal,
    ask: (path: string) => Promise<T>,
  ): Promise<T> {
    const name = repositoryName(repository);
    const path = this.parts.mirrors.pathOf(name);
    await this.present(repository, name, signal);
    const answer = await ask(path).catch(nullIfUnknown);
    if (answer !== null) return answer;
    const fresh = (await this.refreshed(repository, name, signal))
      ? await ask(path).catch(nullIfUnknown)
      : null;
    if (fresh !== null) return fresh;
    const shown = JSON.stringify(sha.slice(0, 64));
    throw new CulpritError(
      'revision_not_found',
      `No branch or tag of ${repository} contains commit ${shown}.`,
    );
  }

  private async present(repository: string, name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!(await this.parts.mirrors.exists(name))) await this.fetch(repository, name, signal);
  }

  /** Fetches unless that happened a moment ago; false: it did. */
  private async refreshed(repository: string, name: string, signal: AbortSignal): Promise<boolean> {
    const at = this.parts.mirrors.fetchedAt(name);
    if (at !== null && Date.now() - at < FRESH_MS) return false;
    await this.fetch(repository, name, signal);
    return true;
  }

  fetch(repository: string, name: string, signal: AbortSignal): Promise<void> {
    return this.parts.mirrors.fetch(name, () => this.source(repository, name), signal);
  }

  /** Where the repository is now: it may have been renamed. The fetch outlives the question, so it has no signal. */
  private async source(repository: string, name: string): Promise<MirrorSource> {
    const { client, url, authorization } = this.parts;
    const { signal } = new AbortController();
    try {
      const { data } = await client.get(repositoryPath(name), {}, signal);
      const found = read(repositorySchema, data, unreadable);
      const place = found.full_name.split('/').map(encodeURIComponent).join('/');
      return {
        url: `${url}/${place}.git`,
        authorization,
        branch: found.default_branch,
        format: found.object_format_name === 'sha256' ? 'sha256' : 'sha1',
      };
    } catch (error) {
      throw codeHostError(error, repository, signal);
    }
  }
}

function nullIfUnknown(error: unknown): null {
  if (isCulpritError(error, 'revision_not_found')) return null;
  throw error;
}
