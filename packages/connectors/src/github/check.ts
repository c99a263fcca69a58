import type { Check } from '@culprit/core';
import { type HttpFailure, outcomeOf, RequestFailure } from '../shared/hosts/failure.js';
import { failed, passed, warning } from '../shared/hosts/settings.js';
import { targetOf } from './ask.js';
import { askFacts, type Facts } from './check-question.js';
import type { GithubClient } from './client.js';
import { isRateLimit } from './errors.js';
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
  const isApp = variable === 'GITHUB_APP_ID';
  if (isFailure(asked)) {
    const renew = `Create a new fine-grained token and set ${variable}.`;
    return failed(name, sentence(asked, isApp ? 'Check GITHUB_APP_ID and GITHUB_APP_KEY.' : renew));
  }
  const detail = `GitHub accepts the ${isApp ? 'App' : 'token'}: ${asked.login}`;
  const expires = client.tokenExpiresAt();
  if (expires === null || expires - Date.now() > WARN_MS) return passed(name, detail);
  const days = Math.max(0, Math.floor((expires - Date.now()) / DAY_MS));
  const left = days === 0 ? 'in less than a day' : days === 1 ? 'in one day' : `in ${days} days`;
  const when = `it expires ${left}, at ${utcMinute(expires)}.`;
  return warning(name, `${detail}; ${when} Create a new token and set ${variable}.`);
}

/** Why a member of the repository cannot be read; `null`: it can. */
function unreadable(
  { repository, refused }: Facts,
  member: keyof Facts['refused'],
  name: string,
): string | null {
  const reported = refused[member];
  const refusal =
    reported === undefined ? null : refusalOf({ status: 403, message: reported, headers: {} }, name);
  if (refusal !== null || repository !== null) return refusal;
  return `GitHub does not show ${name}. Check the name, and give the token access to it (Metadata: read).`;
}

function contentsCheck(asked: Facts | HttpFailure, repository: string): Check {
  const name = 'github contents';
  const fix = `Give the token Contents: read and Metadata: read on ${repository}.`;
  if (isFailure(asked)) return failed(name, sentence(asked, fix));
  const hidden = unreadable(asked, 'head', repository);
  if (hidden !== null) return failed(name, hidden);
  const { head } = asked.refused;
  if (head !== undefined) return failed(name, `GitHub refuses the code (${head.slice(0, 100)}). ${fix}`);
  const branch = asked.repository?.branch ?? null;
  if (branch === null) return failed(name, `${repository} has no commits.`);
  return passed(name, `${repository} is readable; its default branch is ${branch}`);
}

function issuesCheck(asked: Facts | HttpFailure, repository: string): Check {
  const name = 'github issues';
  const fix = `Give the token Issues: write on ${repository}.`;
  if (isFailure(asked)) return failed(name, sentence(asked, fix));
  const hidden = unreadable(asked, 'issues', repository);
  if (hidden !== null) return failed(name, hidden);
  if (asked.repository?.archived)
    return failed(name, `${repository} is archived, so it accepts no issues. Unarchive it.`);
  if (!asked.repository?.issuesEnabled)
    return failed(name, `Issues are off. Turn issues on in the settings of ${repository}.`);
  const { issues } = asked.refused;
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
  const { permission, assignable } = asked.repository;
  const foreign = assignees.filter((login) => !assignable.has(login.toLowerCase()));
  const checks: Check[] = [];
  if (permission === 'READ') {
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
