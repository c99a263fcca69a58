import * as v from 'valibot';
import { read } from '../shared/read-answer.js';
import { askGraphql, type RepositoryName, unreadable } from './ask.js';

const viewer = v.object({ login: v.string() });

/**
 * The login of the token's user, or `slug[bot]` of an App. Tokens of Apps and of GitHub Actions cannot ask `GET /user`;
 * GraphQL's `viewer` works for all.
 */
export async function ownLogin(target: RepositoryName): Promise<string> {
  const { data } = await askGraphql(target, VIEWER_QUERY, {});
  return read(viewer, data?.viewer, unreadable).login;
}

const VIEWER_QUERY = `query Viewer($owner:String!,$name:String!){viewer{login} repository(owner:$owner,name:$name){nameWithOwner}}`;

/** True for the login of an App. GHE.com's `creator` filter does not find Apps (renovatebot/renovate#44730). */
export function isApp(login: string): boolean {
  return login.endsWith('[bot]');
}
