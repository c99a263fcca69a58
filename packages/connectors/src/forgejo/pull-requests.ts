import type { Commit } from '@culprit/core';
import { boundedMap, semaphore } from '@culprit/core/resilience';
import { type Mirrors, readIntroducers } from '../git/index.js';
import { type CacheContext, cachesOf, GROWING } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { type ForgejoClient, RequestFailure, repositoryPath } from './client.js';
import { unreadable } from './errors.js';
import { pullRequestSchema } from './schema.js';

type PullRequest = NonNullable<Commit['pull_request']>;

const AT_ONCE = 6;
const MOST_COMMITS = 10_000;
const MOST_REPOSITORIES = 16;

/** The pull requests by which commits came into the default branch. */
export interface PullRequests {
  /** By commit; absent: none is known. A failed request costs only its answer. */
  of(name: string, shas: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, PullRequest>>;
}

/**
 * The API names the pull request of the commit that merged it and of no other, so each commit is asked for as the one that brought it
 * into the default branch.
 */
export function pullRequestReader(
  client: ForgejoClient,
  url: string,
  mirrors: Mirrors,
  context: CacheContext,
): PullRequests {
  const limit = semaphore(AT_ONCE);
  /** `null`: the commit has none. */
  const known = cachesOf(context, 'forgejo')<{ readonly pull: PullRequest | null }>(
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

  /** `null`: it has none; `undefined`: it is not known. */
  const asked = async (
    name: string,
    merge: string,
    signal: AbortSignal,
  ): Promise<PullRequest | null | undefined> => {
    try {
      const { data } = await client.get(`${repositoryPath(name)}/commits/${merge}/pull`, {}, signal);
      const { number, html_url, title } = read(pullRequestSchema, data, unreadable);
      return { number, url: html_url, title };
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof RequestFailure && error.status === 404 ? null : undefined;
    }
  };

  return {
    async of(name, shas, signal) {
      if (shas.length === 0) return new Map();
      const merges = await introducersOf(name, signal);
      let failed = false;
      const ask = async (merge: string): Promise<PullRequest | null> => {
        const key = `${url} ${name} ${merge}`;
        const before = await known.get(key);
        if (before !== undefined || failed) return before?.pull ?? null;
        const pull = await asked(name, merge, signal);
        if (pull === undefined) failed = true;
        else await known.set(key, { pull });
        return pull ?? null;
      };
      const wanted = [...new Set(shas.flatMap((sha) => merges.get(sha) ?? []))];
      const answers = await Promise.all(wanted.map((merge) => limit(() => ask(merge), signal)));
      const pulls = new Map(wanted.map((merge, index) => [merge, answers[index] ?? null]));
      return new Map(
        shas.flatMap((sha) => {
          const pull = pulls.get(merges.get(sha) ?? '');
          return pull ? [[sha, pull] as const] : [];
        }),
      );
    },
  };
}
