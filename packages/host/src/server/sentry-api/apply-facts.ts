import { CulpritError, type Engine, type Release } from '@culprit/core';
import type { ReleaseFacts } from '@culprit/core/internal/pipeline/releases/release-facts';
import { type SentFacts, sentCommits } from './release-shape.js';

/** The facts of a release without its commits. */
export function factsOf({ url, dateStarted, dateReleased, status }: SentFacts): ReleaseFacts {
  return {
    ...(url ? { url } : {}),
    ...(dateStarted ? { started_at: dateStarted } : {}),
    ...(dateReleased ? { finalised_at: dateReleased } : {}),
    ...(status ? { archived: status === 'archived' } : {}),
  };
}

/** Sets the commits that were sent; `null` if none were. Several repositories: the project's own counts. */
export async function applyCommits(
  { releases }: Engine,
  project: string,
  version: string,
  { refs, commits }: SentFacts,
): Promise<Release | null> {
  if (commits) return releases.setCommits(project, version, { commits: sentCommits(commits) });
  if (!refs) return null;
  if (refs.length === 0) return releases.setCommits(project, version, null);
  const { repository } = releases.projects().find(({ name }) => name === project) ?? {};
  const own = repository == null ? undefined : refs.find((ref) => isNamed(repository, ref.repository));
  const ref = own ?? (refs.length === 1 && repository == null ? refs[0] : undefined);
  if (ref === undefined) {
    const names = refs.map((one) => one.repository).join(', ');
    const detail = `Project ${project} belongs to ${repository ?? 'no repository'}, not to ${names.slice(0, 200)}. Pass: --commit ${repositoryName(repository ?? 'REPOSITORY')}@SHA`;
    throw new CulpritError('malformed', detail, { path: 'refs' });
  }
  const { commit, previousCommit } = ref;
  return releases.setCommits(project, version, { commit, previous: previousCommit ?? null });
}

/** `acme/shop` of `acme/shop`, `gitlab:acme/shop` and `/srv/acme/shop.git`. */
export function repositoryName(address: string): string {
  const path = address.replace(/^(?:gitlab|forgejo):/, '');
  if (!path.startsWith('/')) return path;
  return path
    .replace(/\/?\.git\/?$/, '')
    .split('/')
    .slice(-2)
    .join('/');
}

/** A local repository is also named by its folder alone. */
function isNamed(address: string, sent: string): boolean {
  const wanted = sent.toLowerCase();
  const name = repositoryName(address).toLowerCase();
  return name === wanted || (address.startsWith('/') && name.split('/').at(-1) === wanted.split('/').at(-1));
}
