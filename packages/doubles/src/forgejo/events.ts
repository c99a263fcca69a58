import { createHmac, randomUUID } from 'node:crypto';
import { shownIssue, shownPull, shownUser } from './answer.js';
import type { DoubleOptions, Webhook } from './options.js';
import type { StoredIssue } from './state.js';

/** The headers and body of an event. Gitea has no headers with Forgejo's name. */
export function eventOf(
  { secret }: Pick<Webhook, 'secret'>,
  program: DoubleOptions['program'],
  { issue, action, base }: { readonly issue: StoredIssue; readonly action: string; readonly base: string },
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
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
  return {
    body,
    headers: {
      'content-type': 'application/json',
      ...Object.fromEntries(own),
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-event': event,
    },
  };
}

/** In the background, never repeated. */
export function sendEvent(
  webhook: Webhook,
  ...event: Parameters<typeof eventOf> extends [unknown, ...infer Rest] ? Rest : never
): void {
  const { headers, body } = eventOf(webhook, ...event);
  fetch(webhook.url, { method: 'POST', headers, body }).catch(() => {});
}
