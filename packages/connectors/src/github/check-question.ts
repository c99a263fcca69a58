import * as v from 'valibot';
import { type HttpFailure, requestFailure } from '../shared/hosts/failure.js';
import { numbered } from './ask.js';
import type { GithubClient, GraphqlError } from './client.js';
import { asksToWait } from './errors.js';
import { nodesOf } from './schema.js';

/** What one question tells about a token and a repository. Absent: not asked, or not shown. */
export interface Facts {
  /** The token's user, or `slug[bot]` of an App. */
  readonly login: string;
  /** `null`: the token does not see the repository. */
  readonly repository: {
    readonly branch: string | null;
    readonly archived: boolean;
    readonly issuesEnabled: boolean;
    /** Of the token's user; `null` for Apps. */
    readonly permission: string | null;
    /** Those of the given logins who can be assigned, in lower case. */
    readonly assignable: ReadonlySet<string>;
  } | null;
  /** GitHub's refusals by member: `head` is the code, `issues` the issues. */
  readonly refused: Readonly<Partial<Record<'head' | 'issues', string>>>;
}

/** Candidates for each login: GitHub's search matches parts of names. */
const CANDIDATES = 20;

/** Connections are asked for separately, because a refused one makes all of its repository `null`. */
function question(assignees: number): string {
  const logins = Array.from({ length: assignees }, (_, index) => index);
  const variables = logins.map((index) => `,$l${index}:String!`).join('');
  const searches = logins.map(
    (index) => `a${index}:assignableUsers(first:${CANDIDATES},query:$l${index}){nodes{login}}`,
  );
  const at = 'repository(owner:$owner,name:$name)';
  const people = searches.length === 0 ? '' : `people:${at}{${searches.join(' ')}}`;
  return `query Check($owner:String!,$name:String!${variables}){viewer{login} repository(owner:$owner,name:$name){
  nameWithOwner isArchived hasIssuesEnabled viewerPermission defaultBranchRef{name} head:object(expression:"HEAD"){__typename}
} issues:${at}{issues(first:1){totalCount}} ${people}}`;
}

const users = v.fallback(nodesOf(v.object({ login: v.string() })), []);
const answer = v.object({
  viewer: v.object({ login: v.string() }),
  repository: v.nullish(
    v.object({
      isArchived: v.boolean(),
      hasIssuesEnabled: v.boolean(),
      viewerPermission: v.nullish(v.string()),
      defaultBranchRef: v.nullish(v.object({ name: v.string() })),
    }),
  ),
  people: v.nullish(v.record(v.string(), v.unknown())),
});

/** Asks about a repository in one query. A failure is returned, not thrown. */
export async function askFacts(
  client: GithubClient,
  repository: string,
  assignees: readonly string[],
  signal: AbortSignal,
): Promise<Facts | HttpFailure> {
  const [owner, name] = repository.split('/');
  try {
    const { data, errors, headers } = await client.graphql(
      question(assignees.length),
      { owner, name, ...numbered('l', assignees) },
      { repository, signal },
    );
    if (asksToWait(errors)) return { status: 429, headers, message: errors[0]?.message ?? '' };
    if (!v.is(answer, data))
      return { status: 502, headers, message: errors[0]?.message ?? 'unreadable response' };
    return factsOf(data, errors, assignees);
  } catch (error) {
    return requestFailure(error);
  }
}

function factsOf(
  { viewer, repository, people }: v.InferOutput<typeof answer>,
  errors: readonly GraphqlError[],
  assignees: readonly string[],
): Facts {
  const refusal = (...at: readonly string[]) =>
    errors.find(({ path }) => at.every((member, index) => path?.[index] === member))?.message;
  const whole = errors.find(({ type, path }) => type === 'FORBIDDEN' && path?.length === 1)?.message;
  const head = refusal('repository', 'head') ?? whole;
  const issues = refusal('issues', 'issues') ?? whole;
  const found = assignees.flatMap((_, index) => v.parse(users, people?.[`a${index}`]));
  return {
    login: viewer.login,
    refused: { ...(head === undefined ? {} : { head }), ...(issues === undefined ? {} : { issues }) },
    repository: repository
      ? {
          branch: repository.defaultBranchRef?.name ?? null,
          archived: repository.isArchived,
          issuesEnabled: repository.hasIssuesEnabled,
          permission: repository.viewerPermission ?? null,
          assignable: new Set(found.map(({ login }) => login.toLowerCase())),
        }
      : null,
  };
}
