import { CulpritError, type Revision, type RevisionHints } from '@culprit/core';
import { askRest, askRestOrNull, type RepositoryName, unreadable } from './ask.js';
import { read } from './client.js';
import { gitCommit, gitRef, gitTag, listedCommits } from './schema.js';

export type DatedRevision = Revision & { readonly committed_at: string };

const SHA = /^[0-9a-f]{7,64}$/;

/** Resolves hints to the crashed commit: explicit information first, a guess last. */
export async function resolveRevision(target: RepositoryName, hints: RevisionHints): Promise<DatedRevision> {
  if (hints.commit !== null && SHA.test(hints.commit)) {
    const commit = await commitAt(target, hints.commit);
    if (commit) return { ...commit, how: 'explicit' };
  }
  const release = hints.release ?? '';
  const named = release.slice(release.lastIndexOf('@') + 1).replace(/\+.*$/, '');
  if (SHA.test(named)) {
    const commit = await commitAt(target, named);
    if (commit) return { ...commit, how: 'release' };
  }
  for (const tag of tagForms(release)) {
    const commit = await taggedCommit(target, tag);
    if (commit) return { ...commit, how: 'tag' };
  }
  const [head] = await listCommits(target, {});
  if (head === undefined)
    throw new CulpritError('revision_not_found', `${target.repository} has no commits.`);
  if (head.committed_at <= new Date(hints.at).toISOString()) return { ...head, how: 'head' };
  const [dated] = await listCommits(target, { until: hints.at });
  return dated ? { ...dated, how: 'date' } : { ...head, how: 'head' };
}

/** The usual tag names of a release. */
export function tagForms(release: string): readonly string[] {
  if (release === '' || release.length > 200 || /[\s~^:?*[\\]|\.\.|^[-/]|@\{/.test(release)) return [];
  const at = release.lastIndexOf('@');
  const name = at > 0 ? release.slice(0, at) : '';
  const version = release
    .slice(at + 1)
    .replace(/\+.*$/, '')
    .replace(/^v(?=\d)/, '');
  if (version === '') return [];
  const forms = [release, `v${version}`, version, `release-${version}`];
  if (name !== '') forms.push(`${name}@${version}`, `${name}-v${version}`, `${name}/v${version}`);
  return [...new Set(forms)];
}

async function commitAt(target: RepositoryName, ref: string): Promise<Omit<DatedRevision, 'how'> | null> {
  if (ref.length < 40) {
    const [found] = await listCommits(target, { sha: ref });
    return found?.sha.startsWith(ref) ? found : null;
  }
  const answer = await askRestOrNull(target, 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
    commit_sha: ref,
  });
  if (answer === null) return null;
  const { sha, committer } = read(gitCommit, answer.data, unreadable);
  return { sha, committed_at: new Date(committer.date).toISOString() };
}

async function taggedCommit(target: RepositoryName, tag: string): Promise<Omit<DatedRevision, 'how'> | null> {
  const answer = await askRestOrNull(target, 'GET /repos/{owner}/{repo}/git/ref/{ref}', {
    ref: `tags/${tag}`,
  });
  if (answer === null) return null;
  let { type, sha } = read(gitRef, answer.data, unreadable).object;
  if (type === 'tag') {
    const peeled = await askRestOrNull(target, 'GET /repos/{owner}/{repo}/git/tags/{tag_sha}', {
      tag_sha: sha,
    });
    if (peeled === null) return null;
    ({ type, sha } = read(gitTag, peeled.data, unreadable).object);
  }
  return type === 'commit' ? commitAt(target, sha) : null;
}

async function listCommits(
  target: RepositoryName,
  filter: { readonly sha?: string; readonly until?: string },
): Promise<readonly Omit<DatedRevision, 'how'>[]> {
  const route = 'GET /repos/{owner}/{repo}/commits';
  const byName = filter.sha !== undefined;
  const answer = await (byName ? askRestOrNull : askRest)(target, route, { per_page: 1, ...filter });
  if (answer === null) return [];
  return read(listedCommits, answer.data, unreadable).map(({ sha, commit }) => ({
    sha,
    committed_at: new Date(commit.committer?.date ?? 0).toISOString(),
  }));
}
