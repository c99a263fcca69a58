import { createHmac, randomUUID } from 'node:crypto';
import type { DoubleOptions } from './options.js';
import { issue as shape } from './rest/shapes.js';
import type { StoredIssue } from './state.js';

/** The members of GitHub's `issues` event that clients of the double use, sent in the background and never repeated. */
export function sendIssueEvent(
  webhook: NonNullable<DoubleOptions['webhook']>,
  action: string,
  issue: StoredIssue,
  base: string,
): void {
  const { html_url, ...shown } = shape(issue, base);
  const [owner, name] = issue.repository.split('/');
  const repository = { full_name: issue.repository, name, owner: { login: owner } };
  const body = JSON.stringify({ action, issue: { ...shown, html_url }, repository, sender: shown.user });
  const signature = createHmac('sha256', webhook.secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/double',
    'x-github-event': 'issues',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
  fetch(webhook.url, { method: 'POST', headers, body }).catch(() => {});
}

/** The event of a change; `null` if GitHub sends none that clients of the double subscribe to. */
export function actionOf(change: Partial<StoredIssue>): string | null {
  if (change.gone === 'deleted') return 'deleted';
  if (change.gone !== undefined) return 'transferred';
  if (change.state !== undefined) return change.state === 'closed' ? 'closed' : 'reopened';
  return change.labels === undefined ? null : 'labeled';
}
