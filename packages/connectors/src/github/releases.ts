import { batchesOf } from '@culprit/core/internal/resilience/batches';
import * as v from 'valibot';
import {
  type DatedCommit,
  type Deployment,
  deploymentBefore,
  earlierTags,
  FULL_SHA,
  iso,
  type PreviousRelease,
  type Tag,
} from '../shared/hosts/code-host.js';
import { earliestFirst, familyOf, firstVersion, packageOf } from '../shared/version-tags.js';
import { askGraphql, isResourceLimit, membersOf, numbered, read, type Target } from './ask.js';
import type { GraphqlAnswer } from './client.js';
import { comparedTagsQuery, releasesQuery, TAGS_QUERY } from './queries.js';
import { containsCommit, isReachable } from './revision.js';
import {
  datedCommit,
  datedOf,
  deployments as deploymentList,
  releaseLists,
  taggedCommit,
  tagObject,
  tagsPage,
} from './schema.js';

interface Deployed extends Deployment {
  readonly commit: DatedCommit;
  /** A branch or tag. */
  readonly ref: string | null;
  readonly payload: string;
}
/** What a repository knows of its releases: the newest tags, releases and deployments. */
interface Released {
  readonly tags: readonly Tag[];
  /** By the release's own name. */
  readonly releases: readonly Tag[];
  /** Newest first. */
  readonly deployments: readonly Deployed[];
}

/** Tags that are compared with the crashed commit. */
const MAX_COMPARED = 10;
/** `INACTIVE`: a later deployment has replaced it. */
const SUCCEEDED: readonly string[] = ['ACTIVE', 'INACTIVE', 'SUCCESS'];
/** Members of a deployment's payload that name a release. */
const NAMES = ['release', 'version', 'tag'] as const;

/** Asks for releases with one query each time. Without Deployments: read they are not asked for again. */
export function releaseReader() {
  let mayReadDeployments = true;
  return async (target: Target, text: string): Promise<Released> => {
    const answer = await askGraphql(target, releasesQuery(mayReadDeployments), { text });
    if (answer.errors.some(({ type, path }) => type === 'FORBIDDEN' && path?.[0] === 'deployed'))
      mayReadDeployments = false;
    const { tags, releases } = read(releaseLists, answer.data?.repository);
    const deployed = v.safeParse(deploymentList, answer.data?.deployed);
    return {
      tags: tags.flatMap(({ name, target }) => tagOf(name, target)),
      releases: releases.flatMap(({ name, tagName, tagCommit }) => tagOf(name || tagName, tagCommit)),
      deployments: (deployed.success ? (deployed.output?.deployments ?? []) : []).flatMap(deploymentOf),
    };
  };
}
type ReleaseReader = ReturnType<typeof releaseReader>;

function tagOf(name: string, found: Parameters<typeof datedOf>[0]): readonly Tag[] {
  const commit = datedOf(found);
  return commit === null ? [] : [{ name, commit }];
}

type ListedDeployment = NonNullable<v.InferOutput<typeof deploymentList>>['deployments'][number];

function deploymentOf(listed: ListedDeployment): readonly Deployed[] {
  const commit = datedOf(listed.commit);
  if (commit === null) return [];
  const { ref, environment, payload, state, createdAt } = listed;
  return [
    {
      sha: commit.sha,
      commit,
      ref: ref?.name ?? null,
      environment: environment ?? '',
      payload: payload ?? '',
      succeeded: SUCCEEDED.includes(state ?? ''),
      createdAt: Date.parse(createdAt),
    },
  ];
}

/** The commit of a release that is no tag: of the GitHub release with that name, or of a deployment that names it. */
export function commitOfRelease(
  { releases, deployments }: Released,
  forms: readonly string[],
): { readonly commit: DatedCommit; readonly how: 'tag' | 'release' } | null {
  const release = releases.find(({ name }) => forms.includes(name));
  if (release) return { commit: release.commit, how: 'tag' };
  const deployment = deployments.find(
    ({ ref, payload }) => forms.includes(ref ?? '') || namesIn(payload).some((name) => forms.includes(name)),
  );
  return deployment ? { commit: deployment.commit, how: 'release' } : null;
}

/** GitHub returns a payload as JSON, of an object or of a text that is itself JSON. */
function namesIn(payload: string, depth = 0): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return [];
  }
  if (typeof value === 'string') return depth === 0 ? namesIn(value, 1) : [];
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Readonly<Record<string, unknown>>;
  return NAMES.flatMap((name) => (typeof members[name] === 'string' ? [members[name]] : []));
}

/**
 * The release before a commit. With a tag: the nearest earlier tag of its family. Without: the deployment before the commit's first one
 * in the same environment. `null` if there is none.
 */
export async function previousRelease(
  target: Target,
  sha: string,
  readReleases: ReleaseReader,
): Promise<PreviousRelease | null> {
  const released = await readReleases(target, '');
  const own = released.tags.find(({ commit }) => commit.sha === sha);
  if (!own) return previousDeployment(target, sha, released.deployments);
  const family = familyOf(own.name);
  const { tags } = family === '' ? released : await readReleases(target, family);
  return nearest(target, sha, earlierTags(tags, own, family).slice(0, MAX_COMPARED));
}

/** Tags with their comparisons to a commit. */
function compare(
  target: Target,
  sha: string,
  tags: readonly { readonly name: string }[],
): Promise<GraphqlAnswer> {
  const refs = tags.map(({ name }) => `refs/tags/${name}`);
  return askGraphql(target, comparedTagsQuery(tags.length), { sha, ...numbered('t', refs) });
}

async function nearest(target: Target, sha: string, tags: readonly Tag[]): Promise<PreviousRelease | null> {
  if (tags.length === 0) return null;
  const repository = membersOf(await compare(target, sha, tags));
  const contained = tags.flatMap((tag, index) => {
    const compared = v.safeParse(taggedCommit, repository[`t${index}`]);
    const { status, aheadBy } = (compared.success ? compared.output?.compare : null) ?? {};
    return status === 'AHEAD' && aheadBy !== undefined ? [{ tag, aheadBy }] : [];
  });
  const [first] = contained.sort((a, b) => a.aheadBy - b.aheadBy);
  return first ? { tag: first.tag.name, ...first.tag.commit } : null;
}

async function previousDeployment(
  target: Target,
  sha: string,
  deployments: readonly Deployed[],
): Promise<PreviousRelease | null> {
  const before = deploymentBefore(deployments, sha);
  if (!before || (await containsCommit(target, sha, before.sha)) !== true) return null;
  return { tag: before.ref ?? before.environment, ...before.commit };
}

/** Pages of 100 tags, newest first. */
const MAX_PAGES = 5;
/** Earliest tags that are compared with the commit, in requests of this many. */
const MAX_VERSIONS = 100;
const AT_ONCE = 50;
/** A descendant may be older than its ancestor: clocks differ. */
const CLOCKS_MS = 24 * 60 * 60_000;

interface DatedTag {
  readonly name: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/**
 * The earliest tag of a version that contains a commit: GitHub compares the commit with the earliest tags that are not older.
 * `null` if GitHub does not have the commit or cannot compare, if none of these tags contain it, or if those of several packages do.
 */
export async function firstRelease(target: Target, sha: string): Promise<string | null> {
  if (!FULL_SHA.test(sha)) return null;
  const listed = await tagsSince(target, sha);
  if (listed === null) return null;
  const versions = earliestFirst(listed.filter(({ name }) => packageOf(name) !== null));
  const batches = [...batchesOf(versions.slice(0, MAX_VERSIONS), AT_ONCE)];
  const answers = await Promise.all(batches.map((tags) => compare(target, sha, tags)));
  // Comparing may cost more than GitHub allows.
  if (answers.some(({ errors }) => isResourceLimit(errors))) return null;
  const containing = answers.flatMap((answer, batch) => {
    const refs = membersOf(answer) as Record<string, { readonly compare?: unknown } | null>;
    return (batches[batch] ?? []).filter((_, index) => isReachable(refs[`t${index}`]?.compare));
  });
  return firstVersion(containing.map(({ name }) => name));
}

/** The tags that may contain the commit. `null`: GitHub does not have the commit, or there are more tags than are read. */
async function tagsSince(target: Target, sha: string): Promise<readonly DatedTag[] | null> {
  const tags: DatedTag[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: GraphqlAnswer = await askGraphql(target, TAGS_QUERY, { sha, after });
    const { commit, refs } = read(tagsPage, answer.data?.repository);
    const own = datedOf(commit);
    if (own === null) return null;
    const since = new Date(Date.parse(own.committed_at) - CLOCKS_MS).toISOString();
    for (const { name, target: tag } of refs.nodes) {
      const tagged = datedOf(v.parse(datedCommit, tag));
      if (!tagged) continue;
      if (tagged.committed_at < since) return tags;
      tags.push({ name, created_at: taggedAt(tag) ?? tagged.committed_at });
    }
    after = refs.next;
    if (after === null) return tags;
  }
  return null;
}

function taggedAt(target: unknown): string | null {
  const parsed = v.safeParse(tagObject, target);
  const date = parsed.success ? parsed.output.tagger?.date : null;
  return date ? iso(date) : null;
}
