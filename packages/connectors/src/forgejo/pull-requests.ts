import type { Commit } from '@culprit/core';
import { boundedMap, semaphore } from '@culprit/core/resilience';
import { type Mirrors, readIntroducers } from '../git/index.js';
import type { RestClient } from '../shared/hosts/client.js';
import { outcomeOf, RequestFailure } from '../shared/hosts/failure.js';
import { type Cache, type CacheContext, cachesOf, GROWING } from '../shared/open-cache.js';
import { read, send, type Target, targetOf } from './ask.js';
import { repositoryName } from './config.js';
import { pullRequestSchema } from './schema.js';

type PullRequest = NonNullable<Commit['pull_request']>;

const AT_ONCE = 6;
const MOST_COMMITS = 10_000;
const MOST_REPOSITORIES = 16;

/** The pull requests by which commits came into the default branch. */
export interface PullRequests {
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
    MOST_COMMITS,
    GROWING,
  );
  const introducers = boundedMap<string, ReadonlyMap<string, string>>(MOST_REPOSITORIES);

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
