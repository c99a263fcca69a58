import type { Check } from '@culprit/core';
import { repositoryName } from './ask.js';
import { askFacts, type Facts } from './check-question.js';
import type { GithubClient } from './client.js';
import { type HttpFailure, httpFailure, isRateLimit } from './errors.js';
import { badToken, refusalOf, utcMinute } from './refusals.js';

/** A token that expires within this time is a warning. */
const WARN_MS = 7 * 24 * 60 * 60_000;
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

function isFailure(asked: Facts | HttpFailure): asked is HttpFailure {
  return 'status' in asked;
}

/** Installation tokens renew themselves; a personal token that is about to expire is a warning. */
function tokenCheck(asked: Facts | HttpFailure, client: GithubClient, variable: string): Check {
  const name = 'github token';
  if (isFailure(asked)) {
    const fix =
      variable === 'GITHUB_APP_ID'
        ? 'Check GITHUB_APP_ID and GITHUB_APP_KEY.'
        : `Create a new fine-grained token and set ${variable}.`;
    return failed(name, asked, fix);
  }
  const detail = `GitHub accepts the ${variable === 'GITHUB_APP_ID' ? 'App' : 'token'}: ${asked.login}`;
  const expires = client.tokenExpiresAt();
  if (expires === null || expires - Date.now() > WARN_MS) return { name, ok: true, detail };
  const days = Math.max(0, Math.floor((expires - Date.now()) / DAY_MS));
  const left = days === 0 ? 'in less than a day' : days === 1 ? 'in one day' : `in ${days} days`;
  const warning = `${detail}; it expires ${left}, at ${utcMinute(expires)}. Create a new token and set ${variable}.`;
  return { name, ok: false, optional: true, detail: warning };
}

function hidden(name: string, repository: string): Check {
  const detail = `GitHub does not show ${repository}. Check the name, and give the token access to it (Metadata: read).`;
  return { name, ok: false, detail };
}

function contentsCheck(asked: Facts | HttpFailure, repository: string): Check {
  const name = 'github contents';
  const fix = `Give the token Contents: read and Metadata: read on ${repository}.`;
  if (isFailure(asked)) return failed(name, asked, fix);
  const { repository: found, refused } = asked;
  const refusal = refusalIn(refused.head, repository);
  if (refusal !== null) return { name, ok: false, detail: refusal };
  if (found === null) return hidden(name, repository);
  if (refused.head !== undefined)
    return { name, ok: false, detail: `GitHub refuses the code (${refused.head.slice(0, 100)}). ${fix}` };
  if (found.branch === null) return { name, ok: false, detail: `${repository} has no commits.` };
  return { name, ok: true, detail: `${repository} is readable; its default branch is ${found.branch}` };
}

function issuesCheck(asked: Facts | HttpFailure, repository: string): Check {
  const name = 'github issues';
  const fix = `Give the token Issues: write on ${repository}.`;
  if (isFailure(asked)) return failed(name, asked, fix);
  const { repository: found, refused } = asked;
  const refusal = refusalIn(refused.issues, repository);
  if (refusal !== null) return { name, ok: false, detail: refusal };
  if (found === null) return hidden(name, repository);
  if (found.archived)
    return { name, ok: false, detail: `${repository} is archived, so it accepts no issues. Unarchive it.` };
  if (!found.issuesEnabled)
    return { name, ok: false, detail: `Issues are off. Turn issues on in the settings of ${repository}.` };
  if (refused.issues !== undefined)
    return { name, ok: false, detail: `GitHub refuses the issues (${refused.issues.slice(0, 100)}). ${fix}` };
  return { name, ok: true, detail: `issues of ${repository} are readable` };
}

function refusalIn(reported: string | undefined, repository: string): string | null {
  return reported === undefined
    ? null
    : refusalOf({ status: 403, message: reported, headers: {} }, repository);
}

/** What GitHub will drop from issues. Publishing works without it, so these are warnings. */
function assigneeChecks(
  asked: Facts | HttpFailure,
  repository: string,
  assignees: readonly string[],
): readonly Check[] {
  if (isFailure(asked) || asked.repository === null) return [];
  const { permission, assignable } = asked.repository;
  const warn = (name: string, detail: string): Check => ({ name, ok: false, optional: true, detail });
  const foreign = assignees.filter((login) => !assignable.has(login.toLowerCase()));
  return [
    ...(permission === 'READ'
      ? [
          warn(
            'github role',
            `${asked.login} has the role READ in ${repository}, so GitHub drops labels and assignees. Give it the role triage.`,
          ),
        ]
      : []),
    ...(foreign.length === 0
      ? []
      : [
          warn(
            'github assignees',
            `GitHub cannot assign ${foreign.join(', ')} in ${repository}. Give them access to it, or remove them from the configuration.`,
          ),
        ]),
  ];
}

/** Tested with an issue without a title: GitHub checks the permission first and then rejects the issue for everyone. */
async function checkWriting(client: GithubClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'github issues';
  const { create } = client.rest.issues;
  const { at } = repositoryName(client, repository, signal);
  const untitled = { ...at, labels: [] } as unknown as Parameters<typeof create>[0];
  const failure = await create(untitled).then(() => null, httpFailure);
  if (failure === null || failure.status === 422)
    return { name, ok: true, detail: `issues of ${repository} are writable` };
  return failed(name, failure, `Give the token Issues: write on ${repository}.`);
}

function failed(name: string, failure: HttpFailure, fix: string): Check {
  const { status, message, unsent } = failure;
  if (unsent !== undefined) return { name, ok: false, detail: unsent };
  if (status === 0)
    return { name, ok: false, detail: 'GitHub is unreachable. Check GITHUB_API_URL and the network.' };
  if (isRateLimit(failure) || status >= 500)
    return { name, ok: false, detail: `GitHub returned ${status}: ${message.slice(0, 200)}` };
  const refusal = refusalOf(failure, 'the repository');
  if (refusal !== null) return { name, ok: false, detail: refusal };
  if (status === 401) return { name, ok: false, detail: `${badToken(failure)} ${fix}` };
  return { name, ok: false, detail: `GitHub returned ${status} (${message.slice(0, 100)}). ${fix}` };
}
