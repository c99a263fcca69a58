import type { Check } from '@culprit/core/connector';
import * as v from 'valibot';
import { outcomeOf, RequestFailure } from '../shared/hosts/errors.js';
import { EXPIRES_SOON_MS, failed, passed, warning } from '../shared/hosts/settings.js';
import { errors, type GitlabClient } from './ask.js';
import { project as projectSchema, user as userSchema } from './schema.js';

export interface CheckParts {
  readonly reader: GitlabClient;
  readonly writer: GitlabClient;
  /** `gitlab:group/project`. */
  readonly repository: string | undefined;
  readonly publishRepository: string | undefined;
}

/** Reporters and above read private code and set labels. */
const REPORTER = 20;

const self = v.object({ scopes: v.array(v.string()), expires_at: v.nullish(v.string()) });
const access = v.nullish(v.object({ access_level: v.number() }));
const permissions = v.object({
  permissions: v.nullish(v.object({ project_access: access, group_access: access })),
});

/** Checks tokens, scopes and projects; each failure says how to fix it. */
export async function checkGitlab(parts: CheckParts, signal: AbortSignal): Promise<readonly Check[]> {
  const { reader, writer, repository, publishRepository } = parts;
  const checks: Check[] = [];
  const shared = reader === writer && publishRepository !== undefined;
  if (repository !== undefined || shared)
    checks.push(await checkToken('gitlab token', 'GITLAB_TOKEN', reader, shared, signal));
  if (writer !== reader && publishRepository !== undefined)
    checks.push(await checkToken('gitlab publish token', 'GITLAB_PUBLISH_TOKEN', writer, true, signal));
  if (checks.some(({ ok, optional }) => !ok && optional !== true)) return checks;
  if (repository !== undefined) checks.push(await checkCode(reader, repository, signal));
  if (publishRepository !== undefined) checks.push(await checkIssues(writer, publishRepository, signal));
  return checks;
}

/** The scopes of OAuth tokens are unknown: the first refusal names the missing one. */
async function checkToken(
  name: string,
  variable: string,
  client: GitlabClient,
  writes: boolean,
  signal: AbortSignal,
): Promise<Check> {
  const me = await outcomeOf(client.rest('GET /user', {}, signal));
  if (me instanceof RequestFailure)
    return failed(name, `${reason(me, 'its own user', signal)} Set ${variable}.`);
  const username = v.parse(userSchema, me.data).username;
  const answer = await outcomeOf(client.rest('GET /personal_access_tokens/self', {}, signal));
  const token = answer instanceof RequestFailure ? null : v.safeParse(self, answer.data);
  const { scopes, expires_at } = token?.success ? token.output : { scopes: null, expires_at: null };
  const needed = writes ? ['api'] : ['api', 'read_api'];
  if (scopes !== null && !needed.some((scope) => scopes.includes(scope))) {
    const detail = `${variable} lacks a scope: it has ${scopes.join(', ') || 'none'} and needs ${needed.at(-1)}. Create a new token.`;
    return failed(name, detail);
  }
  const left = expires_at ? Date.parse(expires_at) - Date.now() : Number.POSITIVE_INFINITY;
  const detail = `GitLab accepts the token: ${username}`;
  if (left > EXPIRES_SOON_MS) return passed(name, detail);
  return warning(name, `${detail}; it expires on ${expires_at}. Create a new token and set ${variable}.`);
}

async function checkCode(client: GitlabClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'gitlab code';
  const found = await projectOf(client, repository, signal);
  if (found instanceof RequestFailure) return failed(name, reason(found, repository, signal));
  const { default_branch } = v.parse(projectSchema, found.data);
  if (!default_branch)
    return failed(name, `${repository} shows no code: it is empty, or the role is below Reporter.`);
  const id = repository.slice('gitlab:'.length);
  const list = { id, ref_name: default_branch, per_page: 1 };
  const code = await outcomeOf(client.rest('GET /projects/{id}/repository/commits', list, signal));
  if (code instanceof RequestFailure) return failed(name, reason(code, repository, signal));
  return passed(name, `${repository} is readable; its default branch is ${default_branch}`);
}

async function checkIssues(client: GitlabClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'gitlab issues';
  const found = await projectOf(client, repository, signal);
  if (found instanceof RequestFailure)
    return failed(name, reason(found, repository, signal, errors.needs.write));
  const { archived, issues_access_level } = v.parse(projectSchema, found.data);
  if (archived === true)
    return failed(name, `${repository} is archived, so it accepts no issues. Unarchive it.`);
  if (issues_access_level === 'disabled')
    return failed(name, `Issues are disabled in ${repository}. Enable them in its settings.`);
  const level = v.safeParse(permissions, found.data);
  const { project_access, group_access } = (level.success ? level.output.permissions : null) ?? {};
  const role = Math.max(project_access?.access_level ?? 0, group_access?.access_level ?? 0);
  const detail = `${repository} accepts issues`;
  if (role >= REPORTER || role === 0) return passed(name, detail);
  const dropped = "but the token's role is below Reporter, so GitLab drops labels and assignees.";
  return warning(name, `${detail}, ${dropped}`);
}

function projectOf(client: GitlabClient, repository: string, signal: AbortSignal) {
  return outcomeOf(client.rest('GET /projects/{id}', { id: repository.slice('gitlab:'.length) }, signal));
}

function reason(failure: RequestFailure, repository: string, signal: AbortSignal, need?: string): string {
  return errors.codeHostError(failure, { repository, signal }, need).message;
}
