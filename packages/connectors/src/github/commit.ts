import type { Commit } from '@culprit/core';
import type { CommitObject } from './schema.js';

export function mapCommit(object: CommitObject): Commit {
  const [pull] = object.associatedPullRequests?.nodes ?? [];
  return {
    sha: object.oid,
    title: object.messageHeadline,
    message: object.message,
    author: { name: object.author?.name ?? 'unknown' },
    committed_at: new Date(object.committedDate).toISOString(),
    parents: (object.parents.nodes ?? []).flatMap((parent) => (parent ? [parent.oid] : [])),
    url: object.url ?? null,
    additions: object.additions ?? 0,
    deletions: object.deletions ?? 0,
    pull_request: pull ? { number: pull.number, url: pull.url, title: pull.title } : null,
  };
}
