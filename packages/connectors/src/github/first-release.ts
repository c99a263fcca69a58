import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { earliestFirst, firstVersion, packageOf } from '../shared/version-tags.js';
import { askGraphql, type RepositoryName, unreadable } from './ask.js';
import { isResourceLimit } from './blame.js';
import { dated } from './dated-commit.js';
import { comparedTagsQuery, TAGS_QUERY } from './queries.js';
import { isReachable } from './reachable.js';
import { datedCommit, tagObject, tagsPage } from './schema.js';

/** Pages of 100 tags, newest first. */
const MOST_PAGES = 5;
/** Tags that are compared with the commit, in requests of this many. */
const MOST_COMPARED = 100;
const AT_ONCE = 50;
/** A descendant may be older than its ancestor: clocks differ. */
const CLOCKS_MS = 24 * 60 * 60_000;

interface Tag {
  readonly name: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/**
 * The earliest tag of a version that contains a commit: GitHub compares the commit with the earliest tags that are not older.
 * `null` if GitHub does not have the commit or cannot compare, if none of these tags contain it, or if those of several packages do.
 */
export async function firstRelease(target: RepositoryName, sha: string): Promise<string | null> {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha)) return null;
  const listed = await tagsSince(target, sha);
  if (listed === null) return null;
  const versions = earliestFirst(listed.filter(({ name }) => packageOf(name) !== null));
  const batches: Promise<readonly string[] | null>[] = [];
  for (let at = 0; at < Math.min(versions.length, MOST_COMPARED); at += AT_ONCE)
    batches.push(containing(target, sha, versions.slice(at, at + AT_ONCE)));
  const found = await Promise.all(batches);
  return found.includes(null) ? null : firstVersion(found.flatMap((names) => names ?? []));
}

/** The tags that may contain the commit. `null`: GitHub does not have the commit, or there are more tags than are read. */
async function tagsSince(target: RepositoryName, sha: string): Promise<readonly Tag[] | null> {
  const tags: Tag[] = [];
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { data }: Awaited<ReturnType<typeof askGraphql>> = await askGraphql(target, TAGS_QUERY, {
      sha,
      after,
    });
    const { commit, refs } = read(tagsPage, data?.repository, unreadable);
    const own = dated(commit);
    if (own === null) return null;
    const since = new Date(Date.parse(own.committed_at) - CLOCKS_MS).toISOString();
    for (const ref of refs?.nodes ?? []) {
      const tagged = ref && dated(v.parse(datedCommit, ref.target));
      if (!ref || !tagged) continue;
      if (tagged.committed_at < since) return tags;
      tags.push({ name: ref.name, created_at: taggedAt(ref.target) ?? tagged.committed_at });
    }
    if (!refs?.pageInfo.hasNextPage) return tags;
    after = refs.pageInfo.endCursor ?? null;
  }
  return null;
}

function taggedAt(target: unknown): string | null {
  const parsed = v.safeParse(tagObject, target);
  const date = parsed.success ? parsed.output.tagger?.date : null;
  return date ? new Date(date).toISOString() : null;
}

/** `null`: comparing costs more than GitHub allows. */
async function containing(
  target: RepositoryName,
  sha: string,
  tags: readonly Tag[],
): Promise<readonly string[] | null> {
  const names = Object.fromEntries(tags.map(({ name }, index) => [`t${index}`, `refs/tags/${name}`]));
  const { data, errors } = await askGraphql(target, comparedTagsQuery(tags.length), { sha, ...names });
  if (isResourceLimit(errors)) return null;
  const repository = (data?.repository ?? {}) as Readonly<
    Record<string, { readonly compare?: unknown } | null>
  >;
  return tags.flatMap(({ name }, index) => (isReachable(repository[`t${index}`]?.compare) ? [name] : []));
}
