import type { Check } from '@culprit/core';
import * as v from 'valibot';
import type { GitlabClient } from './client.js';
import { codeHostError, TO_READ, TO_WRITE } from './errors.js';
import { RequestFailure } from './request-failure.js';
import { project as projectSchema, user as userSchema } from './schema.js';

export interface CheckParts {
  readonly reader: GitlabClient;
  readonly writer: GitlabClient;
  /** `gitlab:group/project`. */
  readonly repository: string | undefined;
  readonly publishRepository: string | undefined;
}

/** A token that expires within this time is a warning. */
const WARN_MS = 7 * 24 * 60 * 60_000;
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
    checks.push(...(await checkToken('gitlab token', 'GITLAB_TOKEN', reader, shared, signal)));
  if (writer !== reader && publishRepository !== undefined)
    checks.push(...(await checkToken('gitlab publish token', 'GITLAB_PUBLISH_TOKEN', writer, true, signal)));
  if (checks.some(({ ok, optional }) => !ok && optional !== true)) return checks;
  if (repository !== undefined) checks.push(await checkCode(reader, repository, signal));
  if (publishRepository !== undefined) checks.push(...(await checkIssues(writer, publishRepository, signal)));
  return checks;
}

/** OAuth tokens do not tell their scopes: then the first refusal names the missing one. */
async function checkToken(
  name: string,
  variable: string,
  client: GitlabClient,
  writes: boolean,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const me = await asked(client.rest('GET /user', {}, signal));
  if (me instanceof RequestFailure)
    return [{ name, ok: false, detail: `${reason(me, 'its own user')} Set ${variable}.` }];
  const username = v.parse(userSchema, me.data).username;
  const told = await asked(client.rest('GET /personal_access_tokens/self', {}, signal));
  const token = told instanceof RequestFailure ? null : v.safeParse(self, told.data);
  const { scopes, expires_at } = token?.success ? token.output : { scopes: null, expires_at: null };
  const needed = writes ? ['api'] : ['api', 'read_api'];
  if (scopes !== null && !needed.some((scope) => scopes.includes(scope))) {
    const detail = `${variable} lacks a scope: it has ${scopes.join(', ') || 'none'} and needs ${needed.at(-1)}. Create a new token.`;
    return [{ name, ok: false, detail }];
  }
  const left = expires_at ? Date.parse(expires_at) - Date.now() : Number.POSITIVE_INFINITY;
  const ok = { name, ok: true, detail: `GitLab accepts the token: ${username}` };
  if (left > WARN_MS) return [ok];
  const detail = `${ok.detail}; it expires on ${expires_at}. Create a new token and set ${variable}.`;
  return [{ name, ok: false, optional: true, detail }];
}

async function checkCode(client: GitlabClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'gitlab code';
  const found = await projectOf(client, repository, signal);
  if (found instanceof RequestFailure) return { name, ok: false, detail: reason(found, repository) };
  const { default_branch } = v.parse(projectSchema, found.data);
  if (!default_branch)
    return {
      name,
      ok: false,
      detail: `${repository} shows no code: it is empty, or the role is below Reporter.`,
    };
  const id = repository.slice('gitlab:'.length);
  const list = { id, ref_name: default_branch, per_page: 1 };
  const code = await asked(client.rest('GET /projects/{id}/repository/commits', list, signal));
  if (code instanceof RequestFailure) return { name, ok: false, detail: reason(code, repository) };
  return { name, ok: true, detail: `${repository} is readable; its default branch is ${default_branch}` };
}

async function checkIssues(
  client: GitlabClient,
  repository: string,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const name = 'gitlab issues';
  const found = await projectOf(client, repository, signal);
  if (found instanceof RequestFailure)
    return [{ name, ok: false, detail: reason(found, repository, TO_WRITE) }];
  const { archived, issues_access_level } = v.parse(projectSchema, found.data);
  if (archived === true)
    return [{ name, ok: false, detail: `${repository} is archived, so it accepts no issues. Unarchive it.` }];
  if (issues_access_level === 'disabled')
    return [
      { name, ok: false, detail: `Issues are disabled in ${repository}. Enable them in its settings.` },
    ];
  const level = v.safeParse(permissions, found.data);
  const { project_access, group_access } = (level.success ? level.output.permissions : null) ?? {};
  const role = Math.max(project_access?.access_level ?? 0, group_access?.access_level ?? 0);
  const detail = `${repository} accepts issues`;
  if (role >= REPORTER || role === 0) return [{ name, ok: true, detail }];
  const warning = `${detail}, but the token's role is below Reporter, so GitLab drops labels and assignees.`;
  return [{ name, ok: false, optional: true, detail: warning }];
}

function projectOf(client: GitlabClient, repository: string, signal: AbortSignal) {
  return asked(client.rest('GET /projects/{id}', { id: repository.slice('gitlab:'.length) }, signal));
}

/** A failed request is an answer. */
async function asked<T>(request: Promise<T>): Promise<T | RequestFailure> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RequestFailure) return error;
    throw error;
  }
}

function reason(failure: RequestFailure, repository: string, need = TO_READ): string {
  return codeHostError(failure, repository, need).message;
}
