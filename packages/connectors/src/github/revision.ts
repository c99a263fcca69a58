import { CulpritError, type Revision, type RevisionHints } from '@culprit/core';
import type { Cache } from '../shared/open-cache.js';
import { read } from '../shared/read-answer.js';
import { tagForms } from '../shared/release-tags.js';
import { askGraphql, lacksContents, type RepositoryName, unreadable } from './ask.js';
import { isResourceLimit } from './blame.js';
import type { GraphqlAnswer, GraphqlError } from './client.js';
import { type DatedCommit, dated } from './dated-commit.js';
import { revisionQuery } from './queries.js';
import { isInBranchOrTag, isReachable } from './reachable.js';
import { commitOfRelease, type ReleaseReader } from './releases.js';
import { datedCommit, headRef } from './schema.js';

export type DatedRevision = Revision & DatedCommit;

const SHA = /^[0-9a-f]{7,64}$/;
const FULL_SHA = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** A commit that the hints name, and what names it. */
interface NamedCommit {
  readonly sha: string;
  readonly how: 'explicit' | 'release';
}

/**
 * Resolves hints to the crashed commit with one query: explicit information first, a guess last. A release that is no tag takes
 * another one. A commit that the hints name
 * counts only if a branch or tag contains it, because GitHub also finds the commits of every fork. `kept` holds commits
 * that are in the repository.
 */
export async function resolveRevision(
  target: RepositoryName,
  hints: RevisionHints,
  kept: Cache<DatedCommit>,
  key: (sha: string) => string,
  readReleases: ReleaseReader,
): Promise<DatedRevision> {
  const named = namedCommits(hints);
  const [first] = named;
  const known = first && FULL_SHA.test(first.sha) ? await kept.get(key(first.sha)) : undefined;
  if (first && known) return { ...known, how: first.how };
  const tags = tagForms(hints.release ?? '');
  const answer = await askRevision(target, named, tags, hints.at);
  const repository = answer.data?.repository as Readonly<Record<string, unknown>>;
  const at = (alias: string) => dated(read(datedCommit, repository[alias], unreadable));
  for (const [index, { sha, how }] of named.entries()) {
    const commit = at(`c${index}`);
    if (!commit?.sha.startsWith(sha)) continue;
    await requireReachable(target, commit, (repository.head as Compared)?.[`c${index}`]);
    await kept.set(key(commit.sha), commit);
    return { ...commit, how };
  }
  for (const index of tags.keys()) {
    const commit = at(`t${index}`);
    if (commit) return { ...commit, how: 'tag' };
  }
  const released = tags.length === 0 ? null : commitOfRelease(await readReleases(target, ''), tags);
  if (released) return { ...released.commit, how: released.how };
  return guess(target, repository.head, hints);
}

/** The head, or the newest commit before the crash. */
function guess(target: RepositoryName, ref: unknown, hints: RevisionHints): DatedRevision {
  if (ref === null || ref === undefined)
    throw new CulpritError('revision_not_found', `${target.repository} has no commits.`);
  const found = read(headRef, ref, unreadable).target;
  const head = { sha: found.oid, committed_at: new Date(found.committedDate).toISOString() };
  if (head.committed_at <= new Date(hints.at).toISOString()) return { ...head, how: 'head' };
  const before = dated(found.dated.nodes?.[0] ?? null);
  return before ? { ...before, how: 'date' } : { ...head, how: 'head' };
}

function namedCommits({ commit, release }: RevisionHints): readonly NamedCommit[] {
  const text = release ?? '';
  const version = text.slice(text.lastIndexOf('@') + 1).replace(/\+.*$/, '');
  const named: NamedCommit[] = [];
  if (commit !== null && SHA.test(commit)) named.push({ sha: commit, how: 'explicit' });
  if (SHA.test(version)) named.push({ sha: version, how: 'release' });
  return named;
}

async function askRevision(
  target: RepositoryName,
  named: readonly NamedCommit[],
  tags: readonly string[],
  at: string,
): Promise<GraphqlAnswer> {
  const until = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const variables: Record<string, string> = { until };
  for (const [index, { sha }] of named.entries()) variables[`c${index}`] = sha;
  for (const [index, tag] of tags.entries()) variables[`t${index}`] = `refs/tags/${tag}`;
  const answer = await askGraphql(target, revisionQuery(named.length, tags.length), variables);
  const hidden = answer.errors.find(({ type }) => type === 'FORBIDDEN');
  if (hidden) throw lacksContents(target.repository, hidden.message);
  const failed = answer.errors.find((error) => error.type !== 'NOT_FOUND' && !isFailedComparison(error));
  if (failed || !answer.data?.repository)
    throw new CulpritError(
      'code_host_unavailable',
      `GitHub could not find the revision (${failed?.message.slice(0, 200) ?? 'no data'}).`,
    );
  return answer;
}

type Compared = Readonly<Record<string, unknown>> | null | undefined;

/** GitHub cannot compare a commit that it does not have. A query that is too large says nothing. */
function isFailedComparison(error: GraphqlError): boolean {
  return error.path?.includes('head') === true && error.path.length > 2 && !isResourceLimit([error]);
}

async function requireReachable(
  target: RepositoryName,
  { sha }: DatedCommit,
  compared: unknown,
): Promise<void> {
  if (isReachable(compared) || (await isInBranchOrTag(target, sha))) return;
  throw new CulpritError(
    'revision_foreign',
    `No branch or tag of ${target.repository} contains commit ${sha}. It may come from a fork, or its branch was deleted.`,
  );
}
