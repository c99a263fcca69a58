import * as v from 'valibot';
import type { RepositoryName } from './ask.js';
import { httpFailure } from './errors.js';
import type { IssueObject } from './schema.js';

const types = v.array(v.object({ name: v.string() }));

/** What GitHub would do to the configured type. A failed question expects nothing. */
export async function expectedType(target: RepositoryName, wanted: string): Promise<readonly string[]> {
  const known = await typesOf(target);
  if (known === null || known.some((name) => isType(name, wanted))) return [];
  const names = known.length === 0 ? 'no issue types' : `only ${known.join(', ')}`;
  return [`issue type "${wanted}" will be dropped: ${target.repository} has ${names}`];
}

/** What GitHub did to it. */
export function typeDivergence({ type }: IssueObject, wanted: string): readonly string[] {
  return isType(type?.name ?? '', wanted) ? [] : [`issue type "${wanted}" was dropped`];
}

/** Needs only Metadata: read. `null`: unknown. */
async function typesOf({ client, at }: RepositoryName): Promise<readonly string[] | null> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/issue-types', at);
    const parsed = v.safeParse(types, data);
    return parsed.success ? parsed.output.map(({ name }) => name) : null;
  } catch (error) {
    const { status, headers } = httpFailure(error);
    // An Enterprise Server may not have this route. It names its version in every response, as github.com does not.
    return status === 404 && headers['x-github-enterprise-version'] === undefined ? [] : null;
  }
}

/** GitHub compares the names without case. */
function isType(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}
