import type { Check } from '@culprit/core/connector';
import * as v from 'valibot';
import { type HttpFailure, outcomeOf, RequestFailure, requestFailure } from '../shared/hosts/errors.js';
import { isSameName } from '../shared/hosts/publisher.js';
import { EXPIRES_SOON_MS, failed, passed, warning } from '../shared/hosts/settings.js';
import { asksToWait, badToken, isRateLimit, numbered, refusalOf, targetOf, utcMinute } from './ask.js';
import type { GithubClient, GraphqlError } from './client.js';
import { checkQuery } from './queries.js';
import { nodesOf } from './schema.js';

const DAY_MS = 24 * 60 * 60_000;

export interface CheckParts {
  readonly reader: GithubClient;
  readonly writer: GithubClient;
  /** The reader is an App. */
  readonly app: boolean;
  readonly repository: string | undefined;
  readonly publishRepository: string | undefined;
  /** Who issues are assigned to. */
  readonly assignees: readonly string[];
  readonly tryWriting: boolean;
}

/** What one request shows about a token and a repository. */
interface Facts {
  /** The token's user, or `slug[bot]` of an App. */
  readonly login: string;
  /** `null`: the token does not see the repository. */
  readonly repository: v.InferOutput<typeof repositoryObject> | null;
  /** Those of the given logins who can be assigned. */
  readonly assignable: readonly string[];
  /** GitHub's refusals: of the code, and of the issues. */
  readonly head: string | undefined;
  readonly issues: string | undefined;
}

const login = v.object({ login: v.string() });
const users = v.fallback(nodesOf(login), []);
const repositoryObject = v.object({
  isArchived: v.boolean(),
  hasIssuesEnabled: v.boolean(),
  /** Of the token's user; `null` for Apps. */
  viewerPermission: v.nullish(v.string()),
  defaultBranchRef: v.nullish(v.object({ name: v.string() })),
});
const answer = v.object({
  viewer: login,
  repository: v.nullish(repositoryObject),
  people: v.nullish(v.record(v.string(), v.unknown())),
});

/** Checks tokens, permissions and repositories, with one question for each; each failure says how to fix it. */
export async function checkGithub(parts: CheckParts, signal: AbortSignal): Promise<readonly Check[]> {
  const { reader, writer, app, repository, publishRepository, assignees, tryWriting } = parts;
  const asked = new Map<string, Promise<Facts | HttpFailure>>();
  const ask = (client: GithubClient, name: string) => {
    const key = `${client === reader} ${name}`;
    const known =
      asked.get(key) ?? askFacts(client, name, name === publishRepository ? assignees : [], signal);
    asked.set(key, known);
    return known;
  };
  const checks: Check[] = [];
  const first = repository ?? (writer === reader ? publishRepository : undefined);
  if (first !== undefined) {
    const token = tokenCheck(await ask(reader, first), reader, app ? 'GITHUB_APP_ID' : 'GITHUB_TOKEN');
    checks.push(token);
    if (!token.ok && token.optional !== true) return checks;
  }
  if (writer !== reader && publishRepository !== undefined) {
    const second = tokenCheck(await ask(writer, publishRepository), writer, 'GITHUB_PUBLISH_TOKEN');
    checks.push({ ...second, name: 'github publish token' });
    if (!second.ok && second.optional !== true) return checks;
  }
  if (repository !== undefined) checks.push(contentsCheck(await ask(reader, repository), repository));
  if (publishRepository === undefined) return checks;
  const facts = await ask(writer, publishRepository);
  const issues = issuesCheck(facts, publishRepository);
  if (!issues.ok || !tryWriting) checks.push(issues);
  else checks.push(await checkWriting(writer, publishRepository, signal));
  return [...checks, ...assigneeChecks(facts, publishRepository, assignees)];
}

/** Asks about a repository in one query. A failure is returned, not thrown. */
async function askFacts(
  client: GithubClient,
  repository: string,
  assignees: readonly string[],
  signal: AbortSignal,
): Promise<Facts | HttpFailure> {
  const [owner, name] = repository.split('/');
  try {
    const { data, errors, headers } = await client.graphql(
      checkQuery(assignees.length),
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
  const whole = errors.find(({ type, path }) => type === 'FORBIDDEN' && path?.length === 1)?.message;
  const refusal = (first: string, second: string) =>
    errors.find(({ path }) => path?.[0] === first && path[1] === second)?.message ?? whole;
  return {
    login: viewer.login,
    repository: repository ?? null,
    assignable: assignees.flatMap((_, at) => v.parse(users, people?.[`a${at}`]).map((user) => user.login)),
    head: refusal('repository', 'head'),
    issues: refusal('issues', 'issues'),
  };
}

function isFailure(asked: Facts | HttpFailure): asked is HttpFailure {
  return 'status' in asked;
}

/** Installation tokens renew themselves; a personal token that is about to expire is a warning. */
function tokenCheck(asked: Facts | HttpFailure, client: GithubClient, variable: string): Check {
  const name = 'github token';
  const isApp = variable === 'GITHUB_APP_ID';
  if (isFailure(asked)) {
    const renew = `Create a new fine-grained token and set ${variable}.`;
    return failed(name, sentence(asked, isApp ? 'Check GITHUB_APP_ID and GITHUB_APP_KEY.' : renew));
  }
  const detail = `GitHub accepts the ${isApp ? 'App' : 'token'}: ${asked.login}`;
  const expires = client.tokenExpiresAt();
  if (expires === null || expires - Date.now() > EXPIRES_SOON_MS) return passed(name, detail);
  const days = Math.max(0, Math.floor((expires - Date.now()) / DAY_MS));
  const left = days === 0 ? 'in less than a day' : days === 1 ? 'in one day' : `in ${days} days`;
  const when = `it expires ${left}, at ${utcMinute(expires)}.`;
  return warning(name, `${detail}; ${when} Create a new token and set ${variable}.`);
}

/** Why a member of the repository cannot be read; `null`: it can. */
function unreadable({ repository }: Facts, reported: string | undefined, name: string): string | null {
  const refusal =
    reported === undefined ? null : refusalOf({ status: 403, message: reported, headers: {} }, name);
  if (refusal !== null || repository !== null) return refusal;
  return `GitHub does not show ${name}. Check the name, and give the token access to it (Metadata: read).`;
}

function contentsCheck(asked: Facts | HttpFailure, repository: string): Check {
  const name = 'github contents';
  const fix = `Give the token Contents: read and Metadata: read on ${repository}.`;
  if (isFailure(asked)) return failed(name, sentence(asked, fix));
  const hidden = unreadable(asked, asked.head, repository);
  if (hidden !== null) return failed(name, hidden);
  const { head } = asked;
  if (head !== undefined) return failed(name, `GitHub refuses the code (${head.slice(0, 100)}). ${fix}`);
  const branch = asked.repository?.defaultBranchRef?.name ?? null;
  if (branch === null) return failed(name, `${repository} has no commits.`);
  return passed(name, `${repository} is readable; its default branch is ${branch}`);
}

function issuesCheck(asked: Facts | HttpFailure, repository: string): Check {
  const name = 'github issues';
  const fix = `Give the token Issues: write on ${repository}.`;
  if (isFailure(asked)) return failed(name, sentence(asked, fix));
  const hidden = unreadable(asked, asked.issues, repository);
  if (hidden !== null) return failed(name, hidden);
  if (asked.repository?.isArchived)
    return failed(name, `${repository} is archived, so it accepts no issues. Unarchive it.`);
  if (!asked.repository?.hasIssuesEnabled)
    return failed(name, `Issues are off. Turn issues on in the settings of ${repository}.`);
  const { issues } = asked;
  if (issues !== undefined)
    return failed(name, `GitHub refuses the issues (${issues.slice(0, 100)}). ${fix}`);
  return passed(name, `issues of ${repository} are readable`);
}

/** What GitHub will drop from issues. Publishing works without it, so these are warnings. */
function assigneeChecks(
  asked: Facts | HttpFailure,
  repository: string,
  assignees: readonly string[],
): readonly Check[] {
  if (isFailure(asked) || asked.repository === null) return [];
  const foreign = assignees.filter((login) => !asked.assignable.some((one) => isSameName(one, login)));
  const checks: Check[] = [];
  if (asked.repository.viewerPermission === 'READ') {
    const detail = `${asked.login} has the role READ in ${repository}, so GitHub drops labels and assignees. Give it the role triage.`;
    checks.push(warning('github role', detail));
  }
  if (foreign.length > 0) {
    const detail = `GitHub cannot assign ${foreign.join(', ')} in ${repository}. Give them access to it, or remove them from the configuration.`;
    checks.push(warning('github assignees', detail));
  }
  return checks;
}

/** Tested with an issue without a title: GitHub checks the permission first and then rejects the issue for everyone. */
async function checkWriting(client: GithubClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'github issues';
  const { create } = client.rest.issues;
  const { at } = targetOf(client, repository, signal);
  const untitled = { ...at, labels: [] } as unknown as Parameters<typeof create>[0];
  const made = await outcomeOf(create(untitled));
  const isWritable = !(made instanceof RequestFailure) || made.failure.status === 422;
  return isWritable
    ? passed(name, `issues of ${repository} are writable`)
    : failed(name, sentence(made.failure, `Give the token Issues: write on ${repository}.`));
}

function sentence(failure: HttpFailure, fix: string): string {
  const { status, message, unsent } = failure;
  if (unsent !== undefined) return unsent;
  if (status === 0) return 'GitHub is unreachable. Check GITHUB_API_URL and the network.';
  if (isRateLimit(failure) || status >= 500) return `GitHub returned ${status}: ${message.slice(0, 200)}`;
  const refusal = refusalOf(failure, 'the repository');
  if (refusal !== null) return refusal;
  if (status === 401) return `${badToken(failure)} ${fix}`;
  return `GitHub returned ${status} (${message.slice(0, 100)}). ${fix}`;
}
