import { CulpritError, type Revision, type RevisionHints } from '@culprit/core';
import type { Cache } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { tagForms } from '../shared/release-tags.js';
import { ask, askOrNull, type Target } from './ask.js';

import { unreadable } from './errors.js';
import { iso } from './map.js';
import { commitOfTag, type DatedCommit, listReleases } from './releases.js';
import { commit, commits, project, refs } from './schema.js';

export type DatedRevision = Revision & DatedCommit;

const SHA = /^[0-9a-f]{7,64}$/;
const FULL_SHA = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * Resolves hints to the crashed commit: explicit information first, a guess last. A commit that the hints name counts only if
 * a branch or tag contains it: GitLab also finds the commits of merge requests that come from forks. `kept` holds commits
 * that are in the repository.
 */
export async function resolveRevision(
  target: Target,
  hints: RevisionHints,
  kept: Cache<DatedCommit>,
  key: (sha: string) => string,
): Promise<DatedRevision> {
  for (const { sha, how } of namedCommits(hints)) {
    const known = FULL_SHA.test(sha) ? await kept.get(key(sha)) : undefined;
    if (known) return { ...known, how };
    const found = await commitAt(target, sha);
    if (!found?.sha.startsWith(sha)) continue;
    await requireReachable(target, found.sha);
    await kept.set(key(found.sha), found);
    return { ...found, how };
  }
  const forms = tagForms(hints.release ?? '');
  const tagged = forms.length === 0 ? null : await commitOfTag(target, forms);
  if (tagged) return { ...tagged, how: 'tag' };
  const released =
    forms.length === 0
      ? undefined
      : (await listReleases(target)).find(({ names }) => names.some((name) => forms.includes(name)));
  if (released) return { ...released.commit, how: 'tag' };
  return guess(target, hints);
}

function namedCommits({ commit: given, release }: RevisionHints) {
  const text = release ?? '';
  const version = text.slice(text.lastIndexOf('@') + 1).replace(/\+.*$/, '');
  const named: { readonly sha: string; readonly how: 'explicit' | 'release' }[] = [];
  if (given !== null && SHA.test(given)) named.push({ sha: given, how: 'explicit' });
  if (SHA.test(version)) named.push({ sha: version, how: 'release' });
  return named;
}

/** `null`: the repository has no such commit. A branch or tag of this name is no commit: its SHA differs. */
async function commitAt(target: Target, sha: string): Promise<DatedCommit | null> {
  const answer = await askOrNull(target, 'GET /projects/{id}/repository/commits/{sha}', {
    sha,
    stats: false,
  });
  if (answer === null) return null;
  const { id, committed_date } = read(commit, answer.data, unreadable);
  return { sha: id, committed_at: iso(committed_date) };
}

async function requireReachable(target: Target, sha: string): Promise<void> {
  const route = 'GET /projects/{id}/repository/commits/{sha}/refs';
  const answer = await ask(target, route, { sha, type: 'all', per_page: 1 });
  if (read(refs, answer.data, unreadable).length > 0) return;
  throw new CulpritError(
    'revision_foreign',
    `No branch or tag of ${target.repository} contains commit ${sha}. It may come from a fork, or its branch was deleted.`,
  );
}

/** The head, or the newest commit before the crash. */
async function guess(target: Target, hints: RevisionHints): Promise<DatedRevision> {
  const answer = await ask(target, 'GET /projects/{id}', {});
  const { default_branch } = read(project, answer.data, unreadable);
  const newest = async (until?: string): Promise<DatedCommit | null> => {
    const route = 'GET /projects/{id}/repository/commits';
    const list = await askOrNull(target, route, { ref_name: default_branch ?? '', until, per_page: 1 });
    const [first] = list === null ? [] : read(commits, list.data, unreadable);
    return first ? { sha: first.id, committed_at: iso(first.committed_date) } : null;
  };
  const head = default_branch ? await newest() : null;
  if (head === null) throw new CulpritError('revision_not_found', `${target.repository} has no commits.`);
  if (head.committed_at <= iso(hints.at)) return { ...head, how: 'head' };
  const before = await newest(iso(hints.at));
  return before ? { ...before, how: 'date' } : { ...head, how: 'head' };
}
