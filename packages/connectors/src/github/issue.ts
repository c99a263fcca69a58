import { CulpritError, type PublishedIssue } from '@culprit/core/connector';
import type { IssueEdit } from '@culprit/core/internal/ports/publisher';
import * as v from 'valibot';
import { requestFailure } from '../shared/hosts/errors.js';
import { isSameName } from '../shared/hosts/publisher.js';
import { askGraphql, isResourceLimit, isUnavailable, read, type Target, targetOf } from './ask.js';
import { EDIT_QUERY, FIX_QUERY } from './queries.js';
import { closedIssue, editedIssue, type IssueObject } from './schema.js';

const viewer = v.object({ login: v.string() });
const types = v.array(v.object({ name: v.string() }));

const VIEWER_QUERY = `query Viewer($owner:String!,$name:String!){viewer{login} repository(owner:$owner,name:$name){nameWithOwner}}`;

/**
 * The login of the token's user, or `slug[bot]` of an App. Tokens of Apps and of GitHub Actions cannot ask `GET /user`;
 * GraphQL's `viewer` works for all.
 */
export async function ownLogin(target: Target): Promise<string> {
  const { data } = await askGraphql(target, VIEWER_QUERY, {});
  return read(viewer, data?.viewer).login;
}

/** True for the login of an App. GHE.com's `creator` filter does not find Apps (renovatebot/renovate#44730). */
export function isApp(login: string): boolean {
  return login.endsWith('[bot]');
}

/** What GitHub would do to the configured type. A failed question expects nothing. */
export async function expectedType(target: Target, wanted: string): Promise<readonly string[]> {
  const known = await typesOf(target);
  if (known === null || known.some((name) => isSameName(name, wanted))) return [];
  const names = known.length === 0 ? 'no issue types' : `only ${known.join(', ')}`;
  return [`issue type "${wanted}" will be dropped: ${target.repository} has ${names}`];
}

/** What GitHub did to it. */
export function typeDivergence({ type }: IssueObject, wanted: string): readonly string[] {
  return isSameName(type?.name, wanted) ? [] : [`issue type "${wanted}" was dropped`];
}

/** Needs only Metadata: read. `null`: unknown. */
async function typesOf({ client, at }: Target): Promise<readonly string[] | null> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/issue-types', at);
    const parsed = v.safeParse(types, data);
    return parsed.success ? parsed.output.map(({ name }) => name) : null;
  } catch (error) {
    const { status, headers } = requestFailure(error);
    // An Enterprise Server may not have this route. It names its version in every response, as github.com does not.
    return status === 404 && headers['x-github-enterprise-version'] === undefined ? [] : null;
  }
}

/** The latest change of an issue's title or text; `null` if there is none, or the issue is gone. */
export async function lastEditOf(target: Target, number: number): Promise<IssueEdit | null> {
  const { data } = await askGraphql(target, EDIT_QUERY, { number });
  const { issue } = read(editedIssue, data?.repository);
  const body = issue?.lastEditedAt ? { at: issue.lastEditedAt, by: issue.editor?.login ?? null } : null;
  const renamed = issue?.timelineItems.at(-1) ?? null;
  const title = renamed && { at: renamed.createdAt, by: renamed.actor?.login ?? null };
  const known = [body, title].filter((edit) => edit !== null);
  return known.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0] ?? null;
}

type Fix = NonNullable<PublishedIssue['fix']>;

/**
 * What closed an issue: the commit or pull request that did; else the linked pull request that was merged last. `null` if nobody
 * knows, or if the token may not read pull requests. `url`: the issue's page, which also shows where it was transferred to.
 */
export async function fixOf(target: Target, url: string): Promise<Fix | null> {
  const [, repository = '', number = ''] = /\/([^/]+\/[^/]+)\/issues\/(\d+)$/.exec(url) ?? [];
  if (repository === '') return null;
  const at = targetOf(target.client, repository, target.signal);
  const answer = await askGraphql(at, FIX_QUERY, { number: Number(number) }).catch((error) => {
    if (isUnavailable(error, 'schema')) return null;
    throw error;
  });
  if (answer === null) return null;
  if (isResourceLimit(answer.errors))
    throw new CulpritError('code_host_unavailable', `GitHub does not report what closed ${url}.`);
  const { issue } = read(closedIssue, answer.data?.repository);
  const closer = issue?.timelineItems.at(-1)?.closer ?? null;
  if (closer !== null) return fixFrom(closer);
  const pulls = (issue?.closedByPullRequestsReferences ?? []).flatMap((pull) => pull ?? []);
  const [last] = pulls.sort((a, b) => Date.parse(b.mergedAt) - Date.parse(a.mergedAt));
  return last ? fixFrom(last) : null;
}

interface Pull {
  readonly number: number;
  readonly url: string;
  readonly mergeCommit: { readonly oid: string };
}

function fixFrom(closer: { readonly oid: string } | Pull): Fix {
  if ('oid' in closer) return { commit: closer.oid, pull_request: null };
  const { number, url, mergeCommit } = closer;
  return { commit: mergeCommit.oid, pull_request: { number, url } };
}
