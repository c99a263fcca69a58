import type { Tree } from '@culprit/core';
import { read } from '../shared/read-answer.js';
import { ask, askOrNull, type Target } from './ask.js';

import { unreadable } from './errors.js';
import { iso } from './map.js';
import { deployments, mergeBase, releases, tags } from './schema.js';

export interface DatedCommit {
  readonly sha: string;
  /** ISO 8601. */
  readonly committed_at: string;
}
type PreviousRelease = NonNullable<Tree['previous_release']>;
interface Tag {
  readonly name: string;
  readonly commit: DatedCommit;
}

const PER_PAGE = 100;
/** Of the tags that contain a version: `1.0` is part of many. */
const MOST_PAGES = 20;
/** Earlier tags whose commits are compared with the crashed one. */
const MOST_COMPARED = 10;

/** The commit of the first form that is a tag: one list of the tags that contain the shortest form, as all of them do. */
export async function commitOfTag(target: Target, forms: readonly string[]): Promise<DatedCommit | null> {
  const [shortest = ''] = [...forms].sort((a, b) => a.length - b.length);
  for (let page = 1; page <= MOST_PAGES; page++) {
    const found = await listTags(target, shortest, page);
    for (const form of forms) {
      const tag = found.find(({ name }) => name === form);
      if (tag) return tag.commit;
    }
    if (found.length < PER_PAGE) return null;
  }
  return null;
}

/** A page of the tags whose names contain a text, newest first. */
async function listTags(target: Target, search: string, page = 1): Promise<readonly Tag[]> {
  const route = 'GET /projects/{id}/repository/tags';
  const answer = await ask(target, route, {
    ...(search === '' ? {} : { search }),
    order_by: 'updated',
    sort: 'desc',
    per_page: PER_PAGE,
    ...(page === 1 ? {} : { page }),
  });
  return read(tags, answer.data, unreadable).flatMap(({ name, commit }) =>
    commit ? [{ name, commit: { sha: commit.id, committed_at: iso(commit.committed_date) } }] : [],
  );
}

/** The newest releases, by their own name and that of their tag. */
export async function listReleases(
  target: Target,
): Promise<readonly { readonly names: readonly string[]; readonly commit: DatedCommit }[]> {
  const answer = await askOrNull(target, 'GET /projects/{id}/releases', { per_page: PER_PAGE });
  if (answer === null) return [];
  return read(releases, answer.data, unreadable).flatMap(({ name, tag_name, commit }) => {
    if (!commit) return [];
    const names = [tag_name, ...(name ? [name] : [])];
    return [{ names, commit: { sha: commit.id, committed_at: iso(commit.committed_date) } }];
  });
}

/**
 * The release before a commit. With a tag: the nearest earlier tag with the same name up to the first digit, as on local git.
 * Without: the deployment before the commit's first one in the same environment. `null` if there is none.
 */
export async function previousRelease(target: Target, sha: string): Promise<PreviousRelease | null> {
  const newest = await listTags(target, '');
  const own = newest.find(({ commit }) => commit.sha === sha);
  if (!own) return previousDeployment(target, sha);
  const family = own.name.replace(/\d.*$/s, '');
  const listed = family === '' ? newest : await listTags(target, `^${family}`);
  const earlier = listed
    .filter(
      ({ name, commit }) =>
        name.startsWith(family) &&
        /^\d/.test(name.slice(family.length)) &&
        commit.sha !== sha &&
        commit.committed_at <= own.commit.committed_at,
    )
    .sort((a, b) => (a.commit.committed_at < b.commit.committed_at ? 1 : -1));
  for (const tag of earlier.slice(0, MOST_COMPARED)) {
    if ((await containsCommit(target, sha, tag.commit.sha)) === true) return { tag: tag.name, ...tag.commit };
  }
  return null;
}

async function previousDeployment(target: Target, sha: string): Promise<PreviousRelease | null> {
  const answer = await askOrNull(target, 'GET /projects/{id}/deployments', {
    order_by: 'created_at',
    sort: 'desc',
    per_page: PER_PAGE,
  });
  const listed = answer === null ? [] : read(deployments, answer.data, unreadable);
  const first = listed.findLast((one) => one.sha === sha);
  const before = listed.find(
    (one) =>
      first !== undefined &&
      one.status === 'success' &&
      one.environment.name === first.environment.name &&
      one.sha !== sha &&
      Date.parse(one.created_at) < Date.parse(first.created_at),
  );
  if (!before || (await containsCommit(target, sha, before.sha)) !== true) return null;
  const found = await askOrNull(target, 'GET /projects/{id}/repository/commits/{sha}', {
    sha: before.sha,
    stats: false,
  });
  const committed = (found?.data as { readonly committed_date?: string } | undefined)?.committed_date;
  if (committed === undefined) return null;
  return { tag: before.ref ?? before.environment.name, sha: before.sha, committed_at: iso(committed) };
}

/** Whether one commit contains another: it is a descendant of it, or the same. `null` if GitLab does not have both. */
export async function containsCommit(target: Target, sha: string, commit: string): Promise<boolean | null> {
  if (sha === commit) return true;
  const route = 'GET /projects/{id}/repository/merge_base';
  const answer = await askOrNull(target, route, { refs: [sha, commit] });
  return answer === null ? null : read(mergeBase, answer.data, unreadable).id === commit;
}
