import { createHmac, randomUUID } from 'node:crypto';
import { sendEvent } from '../shared/http.js';
import type { Webhook } from '../shared/options.js';
import type { Answer } from '../shared/server.js';
import type { DoubleOptions, DoubleToken, LiveOptions, Scope } from './options.js';
import type { StoredComment, StoredIssue, StoredLabel } from './state.js';

export type { Answer } from '../shared/server.js';

export function refuse(status: number, message: string): Answer {
  return { status, body: { message, url: '/api/swagger' } };
}

export const NOT_FOUND = refuse(404, "The target couldn't be found.");

/** `null`: the token has the scope. */
export function lacksScope(token: DoubleToken, method: string, category: string): Answer | null {
  const level = method === 'GET' ? 'read' : 'write';
  const wanted = `${level}:${category}` as Scope;
  const has = token.scopes.includes(wanted) || token.scopes.includes(`write:${category}` as Scope);
  return has ? null : refuse(403, `token does not have at least one of required scope(s): [${wanted}]`);
}

/** The current name of a repository that the token's user sees; `null`: there is none. */
export function visible({ repositories }: LiveOptions, token: DoubleToken, name: string): string | null {
  const known = Object.keys(repositories).find((key) => key.toLowerCase() === name.toLowerCase());
  if (known === undefined) return null;
  return token.repositories === undefined || token.repositories.includes(known) ? known : null;
}

const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
const person = (login: string) => ({ id: 1, login, username: login });

export function shownIssue(issue: StoredIssue, labels: readonly StoredLabel[], base: string): object {
  const {
    repository,
    number,
    title,
    body,
    state,
    locked = false,
    user,
    createdAt,
    updatedAt,
    merged,
  } = issue;
  const pull = { merged: true, html_url: `${base}/${repository}/pulls/${number}` };
  return {
    id: number,
    number,
    html_url: `${base}/${repository}/${merged === undefined ? 'issues' : 'pulls'}/${number}`,
    title,
    body,
    user: person(user),
    labels: issue.labels.map((name) =>
      shownLabel(labels.find((one) => one.name === name) ?? { id: 0, name }),
    ),
    assignees: issue.assignees.length === 0 ? null : issue.assignees.map(person),
    state,
    is_locked: locked,
    comments: 0,
    created_at: at(createdAt),
    closed_at: issue.closedAt ? at(issue.closedAt) : null,
    updated_at: at(updatedAt),
    pull_request: merged === undefined ? null : pull,
    repository: { name: repository.split('/')[1], full_name: repository },
  };
}

export function shownLabel({ id, name }: Pick<StoredLabel, 'id' | 'name'>): object {
  return { id, name, color: 'ededed', description: '', exclusive: false, is_archived: false };
}

export function shownComment(
  { repository, number, id, body, user, createdAt }: StoredComment,
  base: string,
): object {
  const html_url = `${base}/${repository}/issues/${number}#issuecomment-${id}`;
  return { id, html_url, body, user: person(user), created_at: at(createdAt), updated_at: at(createdAt) };
}

export function shownPull(issue: StoredIssue, base: string): object {
  const { repository, number, title, body, merged } = issue;
  const html_url = `${base}/${repository}/pulls/${number}`;
  return { number, html_url, title, body, state: 'closed', merged: true, merge_commit_sha: merged };
}

export function shownUser(login: string): object {
  return person(login);
}

/** `null`: there is no such token. */
export function knownToken({ tokens }: LiveOptions, text: string, now: number): DoubleToken | null {
  const token = tokens[text];
  return token === undefined || (token.expiresAt ?? Number.POSITIVE_INFINITY) <= now ? null : token;
}

/** Gitea has no headers with Forgejo's name. */
export function sendIssueEvent(
  { url, secret }: Webhook,
  program: DoubleOptions['program'],
  { issue, action, base }: { readonly issue: StoredIssue; readonly action: string; readonly base: string },
): void {
  const { number, repository, user } = issue;
  const event = issue.merged === undefined ? 'issues' : 'pull_request';
  const subject =
    event === 'issues' ? { issue: shownIssue(issue, [], base) } : { pull_request: shownPull(issue, base) };
  const rest = { repository: { full_name: repository }, sender: shownUser(user), commit_id: '' };
  const body = JSON.stringify({ action, number, ...subject, ...rest });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const names = program === 'gitea' ? ['gitea', 'gogs'] : ['forgejo', 'gitea', 'gogs'];
  const own = names.flatMap((name) => [
    [`x-${name}-event`, event],
    [`x-${name}-event-type`, event],
    [`x-${name}-signature`, signature],
    [`x-${name}-delivery`, randomUUID()],
  ]);
  const headers = {
    ...Object.fromEntries(own),
    'x-hub-signature-256': `sha256=${signature}`,
    'x-github-event': event,
  };
  sendEvent(url, headers, body);
}
