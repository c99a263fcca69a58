import { createHmac, randomUUID } from 'node:crypto';
import { sendEvent } from '../shared/http.js';
import type { Webhook } from '../shared/options.js';
import { shownIssue, shownPull, shownUser } from './answer.js';
import type { DoubleOptions } from './options.js';
import type { StoredIssue } from './state.js';

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
