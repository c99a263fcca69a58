import type { Blame } from '@culprit/core/connector';
import type { CommitRange } from '@culprit/core/internal/ports/code-host';
import {
  type DatedCommit,
  deploymentBefore,
  earlierTags,
  iso,
  type PreviousRelease,
  type RevisionReader,
  type Tag,
} from '../shared/hosts/code-host.js';
import { earliestFirst, familyOf, firstVersion, packageOf } from '../shared/version-tags.js';
import { ask, askOrNull, firstPages, pages, read, type Target } from './ask.js';
import {
  commit as commitSchema,
  commits,
  deployments,
  mergeBase,
  project,
  refs,
  releases,
  tags,
  titleOf,
} from './schema.js';

const PER_PAGE = 100;
/** Of the tags that contain a version: `1.0` is part of many. */
const MAX_PAGES = 20;
/** Of the tags that contain the commit, and of the newest tags: each is a request. */
const MAX_TAG_PAGES = 5;
/** Earlier tags whose commits are compared with the crashed one. */
const MAX_COMPARED = 10;

type Named = { readonly id: string; readonly committed_date: string };
const dated = ({ id, committed_date }: Named): DatedCommit => ({
  sha: id,
  committed_at: iso(committed_date),
});

/** One request for each question: GitLab also finds the commits of merge requests that come from forks. */
export function gitlabRevisions(target: Target): RevisionReader {
  return {
    commitAt: (sha) => commitAt(target, sha),
    async isReachable({ sha }) {
      const route = 'GET /projects/{id}/repository/commits/{sha}/refs';
      const answer = await ask(target, route, { sha, type: 'all', per_page: 1 });
      return read(refs, answer.data).length > 0;
    },
    async released(forms) {
      const tagged = await commitOfTag(target, forms);
      const commit = tagged ?? (await commitOfRelease(target, forms));
      return commit && { commit, how: 'tag' };
    },
    async newest(until) {
      const { default_branch } = read(project, (await ask(target, 'GET /projects/{id}', {})).data);
      if (!default_branch) return null;
      const of = { ref_name: default_branch, until, per_page: 1 };
      const list = await askOrNull(target, 'GET /projects/{id}/repository/commits', of);
      const [first] = list === null ? [] : read(commits, list.data);
      return first ? dated(first) : null;
    },
  };
}

/** `null`: the repository has no such commit. A branch or tag of this name is no commit: its SHA differs. */
async function commitAt(target: Target, sha: string): Promise<DatedCommit | null> {
  const route = 'GET /projects/{id}/repository/commits/{sha}';
  const answer = await askOrNull(target, route, { sha, stats: false });
  return answer && dated(read(commitSchema, answer.data));
}

/** The commit of the first form that is a tag: one list of the tags that contain the shortest form, as all of them do. */
async function commitOfTag(target: Target, forms: readonly string[]): Promise<DatedCommit | null> {
  const [shortest = ''] = [...forms].sort((a, b) => a.length - b.length);
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await listTags(target, shortest, page);
    const tag = forms.flatMap((form) => found.find(({ name }) => name === form) ?? [])[0];
    if (tag !== undefined) return tag.commit;
    if (found.length < PER_PAGE) return null;
  }
  return null;
}

/** A page of the tags whose names contain a text, newest first. */
async function listTags(target: Target, search: string, page = 1): Promise<readonly Tag[]> {
  const answer = await ask(target, 'GET /projects/{id}/repository/tags', {
    ...(search === '' ? {} : { search }),
    order_by: 'updated',
    sort: 'desc',
    per_page: PER_PAGE,
    ...(page === 1 ? {} : { page }),
  });
  return read(tags, answer.data).flatMap(({ name, commit }) =>
    commit ? [{ name, commit: dated(commit) }] : [],
  );
}

/** Of the newest releases, by their own name and that of their tag. */
async function commitOfRelease(target: Target, forms: readonly string[]): Promise<DatedCommit | null> {
  const answer = await askOrNull(target, 'GET /projects/{id}/releases', { per_page: PER_PAGE });
  const listed = answer === null ? [] : read(releases, answer.data);
  const found = listed.find(
    ({ name, tag_name, commit }) => commit && [tag_name, name].some((one) => one && forms.includes(one)),
  );
  return found?.commit ? dated(found.commit) : null;
}

/**
 * The release before a commit. With a tag: the nearest earlier tag of its family. Without: the deployment before the commit's first one
 * in the same environment. `null` if there is none.
 */
export async function previousRelease(target: Target, sha: string): Promise<PreviousRelease | null> {
  const newest = await listTags(target, '');
  const own = newest.find(({ commit }) => commit.sha === sha);
  if (!own) return previousDeployment(target, sha);
  const family = familyOf(own.name);
  const listed = family === '' ? newest : await listTags(target, `^${family}`);
  const earlier = [...earlierTags(listed, own, family)];
  earlier.sort((a, b) => (a.commit.committed_at < b.commit.committed_at ? 1 : -1));
  for (const tag of earlier.slice(0, MAX_COMPARED)) {
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
  const listed = answer === null ? [] : read(deployments, answer.data);
  const before = deploymentBefore(
    listed.map(({ ref, sha, status, created_at, environment }) => ({
      sha,
      tag: ref ?? environment.name,
      environment: environment.name,
      succeeded: status === 'success',
      createdAt: Date.parse(created_at),
    })),
    sha,
  );
  if (!before || (await containsCommit(target, sha, before.sha)) !== true) return null;
  const commit = await commitAt(target, before.sha);
  return commit && { tag: before.tag, ...commit };
}

/** Whether one commit contains another: it is a descendant of it, or the same. `null` if GitLab does not have both. */
export async function containsCommit(target: Target, sha: string, commit: string): Promise<boolean | null> {
  if (sha === commit) return true;
  const route = 'GET /projects/{id}/repository/merge_base';
  const answer = await askOrNull(target, route, { refs: [sha, commit] });
  return answer === null ? null : read(mergeBase, answer.data).id === commit;
}

/** See `Ancestry.range`. A range of revisions that GitLab does not have is empty there, so the caller checks both. */
export async function commitRange(
  target: Target,
  from: string,
  to: string,
  most: number,
): Promise<CommitRange> {
  const found: CommitRange['commits'][number][] = [];
  for (let page = 1; found.length <= most; page++) {
    const listed = await listCommits(target, { ref_name: `${from}..${to}`, per_page: PER_PAGE, page });
    found.push(...listed);
    if (listed.length < PER_PAGE) break;
  }
  return { commits: found.slice(0, most), more: found.length > most };
}

/**
 * The earliest tag of a version that contains a commit. GitLab lists the tags that contain it without their dates, so these are
 * read from the list of tags, newest first. `null` if GitLab does not have the commit, if no version or those of several packages
 * contain it, or if there are more tags than are read.
 */
export async function firstRelease(target: Target, sha: string): Promise<string | null> {
  const route = 'GET /projects/{id}/repository/commits/{sha}/refs';
  const containing = await firstPages(target, route, { sha, type: 'tag', per_page: PER_PAGE }, MAX_TAG_PAGES);
  if (containing === null || containing.more) return null;
  const names = containing.pages.flatMap((page) => read(refs, page).map(({ name }) => name));
  const versions = new Set(names.filter((name) => packageOf(name) !== null));
  if (versions.size === 0 || new Set([...versions].map(packageOf)).size > 1) return null;
  const [only = '', another] = versions;
  if (another === undefined) return only;
  const found = await datesOf(target, versions);
  return found && firstVersion(earliestFirst(found).map(({ name }) => name));
}

/** `null`: some are not among the newest tags. */
async function datesOf(target: Target, names: ReadonlySet<string>) {
  const found: { readonly name: string; readonly created_at: string }[] = [];
  const newest = { order_by: 'updated', sort: 'desc', per_page: PER_PAGE };
  let page = 0;
  for await (const { data } of pages(target, 'GET /projects/{id}/repository/tags', newest)) {
    for (const { name, commit, created_at } of read(tags, data)) {
      const at = created_at ?? commit?.committed_date;
      if (names.has(name) && at != null) found.push({ name, created_at: iso(at) });
    }
    if (found.length >= names.size) return found;
    if (++page === MAX_TAG_PAGES) return null;
  }
  return null;
}

/** A page of commits, newest first. */
export async function listCommits(target: Target, of: Parameters<typeof ask>[2]): Promise<Blame['recent']> {
  const { data } = await ask(target, 'GET /projects/{id}/repository/commits', of);
  return read(commits, data).map(({ id, committed_date, message }) => ({
    sha: id,
    committed_at: iso(committed_date),
    title: titleOf(message),
  }));
}
