import type { Tree } from '@culprit/core';
import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { askGraphql, type RepositoryName, unreadable } from './ask.js';

import { containsCommit } from './contains.js';
import { type DatedCommit, dated } from './dated-commit.js';
import { comparedTagsQuery, releasesQuery } from './queries.js';
import { deployments as deploymentList, releaseLists, taggedCommit } from './schema.js';

type PreviousRelease = NonNullable<Tree['previous_release']>;

interface Tag {
  readonly name: string;
  readonly commit: DatedCommit;
}
interface Deployment {
  readonly commit: DatedCommit;
  /** A branch or tag. */
  readonly ref: string | null;
  readonly environment: string;
  readonly payload: string;
  readonly succeeded: boolean;
  readonly createdAt: number;
}
/** What a repository knows of its releases: the newest tags, releases and deployments. */
export interface Released {
  readonly tags: readonly Tag[];
  /** By the release's own name. */
  readonly releases: readonly Tag[];
  /** Newest first. */
  readonly deployments: readonly Deployment[];
}

/** Tags that are compared with the crashed commit. */
const MOST_COMPARED = 10;
/** `INACTIVE`: a later deployment has replaced it. */
const SUCCEEDED: readonly string[] = ['ACTIVE', 'INACTIVE', 'SUCCESS'];
/** Members of a deployment's payload that name a release. */
const NAMES = ['release', 'version', 'tag'] as const;

/** Asks for releases with one query each time. Without Deployments: read they are not asked for again. */
export function releaseReader() {
  let mayReadDeployments = true;
  return async (target: RepositoryName, text: string): Promise<Released> => {
    const { data, errors } = await askGraphql(target, releasesQuery(mayReadDeployments), { text });
    if (errors.some(({ type, path }) => type === 'FORBIDDEN' && path?.[0] === 'deployed'))
      mayReadDeployments = false;
    const { tags, releases } = read(releaseLists, data?.repository, unreadable);
    const deployed = v.safeParse(deploymentList, data?.deployed);
    return {
      tags: (tags?.nodes ?? []).flatMap((tag) => tagOf(tag?.name, tag?.target)),
      releases: (releases?.nodes ?? []).flatMap((one) => tagOf(one?.name || one?.tagName, one?.tagCommit)),
      deployments: deployed.success
        ? (deployed.output?.deployments?.nodes ?? []).flatMap((one) => deploymentOf(one))
        : [],
    };
  };
}
export type ReleaseReader = ReturnType<typeof releaseReader>;

type Dated = Parameters<typeof dated>[0];

function tagOf(name: string | undefined, found: Dated | undefined): readonly Tag[] {
  const commit = dated(found ?? null);
  return commit === null || name === undefined ? [] : [{ name, commit }];
}

type ListedDeployment = NonNullable<
  NonNullable<NonNullable<v.InferOutput<typeof deploymentList>>['deployments']>['nodes']
>[number];

function deploymentOf(listed: ListedDeployment): readonly Deployment[] {
  const commit = dated(listed?.commit ?? null);
  if (!listed || commit === null) return [];
  const { ref, environment, payload, state, createdAt } = listed;
  return [
    {
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
 * The release before a commit. With a tag: the nearest earlier tag with the same name up to the first digit, as on local git.
 * Without: the deployment before the commit's first one in the same environment. `null` if there is none.
 */
export async function previousRelease(
  target: RepositoryName,
  sha: string,
  readReleases: ReleaseReader,
): Promise<PreviousRelease | null> {
  const released = await readReleases(target, '');
  const own = released.tags.find(({ commit }) => commit.sha === sha);
  if (!own) return previousDeployment(target, sha, released.deployments);
  const family = own.name.replace(/\d.*$/s, '');
  const { tags } = family === '' ? released : await readReleases(target, family);
  const earlier = tags.filter(
    ({ name, commit }) =>
      name.startsWith(family) &&
      /^\d/.test(name.slice(family.length)) &&
      commit.sha !== sha &&
      commit.committed_at <= own.commit.committed_at,
  );
  return nearest(target, sha, earlier.slice(0, MOST_COMPARED));
}

async function nearest(
  target: RepositoryName,
  sha: string,
  tags: readonly Tag[],
): Promise<PreviousRelease | null> {
  if (tags.length === 0) return null;
  const names = Object.fromEntries(tags.map(({ name }, index) => [`t${index}`, `refs/tags/${name}`]));
  const { data } = await askGraphql(target, comparedTagsQuery(tags.length), { sha, ...names });
  const repository = data?.repository as Readonly<Record<string, unknown>>;
  const contained = tags.flatMap((tag, index) => {
    const compared = v.safeParse(taggedCommit, repository[`t${index}`]);
    const { status, aheadBy } = (compared.success ? compared.output?.compare : null) ?? {};
    return status === 'AHEAD' && aheadBy !== undefined ? [{ tag, aheadBy }] : [];
  });
  const [first] = contained.sort((a, b) => a.aheadBy - b.aheadBy);
  return first ? { tag: first.tag.name, ...first.tag.commit } : null;
}

async function previousDeployment(
  target: RepositoryName,
  sha: string,
  deployments: readonly Deployment[],
): Promise<PreviousRelease | null> {
  const first = deployments.findLast(({ commit }) => commit.sha === sha);
  if (!first) return null;
  const before = deployments.find(
    ({ commit, environment, createdAt, succeeded }) =>
      succeeded && environment === first.environment && commit.sha !== sha && createdAt < first.createdAt,
  );
  if (!before || (await containsCommit(target, sha, before.commit.sha)) !== true) return null;
  return { tag: before.ref ?? before.environment, ...before.commit };
}
