import { createHmac, randomUUID } from 'node:crypto';
import { sendEvent } from '../shared/http.js';
import type { Webhook } from '../shared/options.js';
import { checkEvent } from './openapi.js';
import { issue as shape } from './rest/shapes.js';
import type { StoredIssue } from './state.js';

/**
 * The members of GitHub's `issues` and `pull_request` events that clients of the double use, sent in the background and never
 * repeated.
 */
export function sendIssueEvent(webhook: Webhook, action: string, issue: StoredIssue, base: string): void {
  const shown = shape(issue, base);
  const [owner, name] = issue.repository.split('/');
  const repository = { full_name: issue.repository, name, owner: { login: owner } };
  const { number, title, body: text, state, html_url } = shown;
  const merged = issue.merged !== undefined;
  const merge_commit_sha = issue.merged?.commit ?? null;
  const event = issue.pullRequest ? 'pull_request' : 'issues';
  const pull_request = { number, title, body: text, state, html_url, merged, merge_commit_sha };
  checkEvent(event, action, issue.pullRequest ? pull_request : {});
  const subject = issue.pullRequest ? { number, pull_request } : { issue: shown };
  const body = JSON.stringify({ action, ...subject, repository, sender: shown.user });
  const signature = createHmac('sha256', webhook.secret).update(body).digest('hex');
  const headers = {
    'user-agent': 'GitHub-Hookshot/double',
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
  sendEvent(webhook.url, headers, body);
}

/** The event of a change; `null` if GitHub sends none that clients of the double subscribe to. */
export function actionOf(change: Partial<StoredIssue>): string | null {
  if (change.gone === 'deleted') return 'deleted';
  if (change.gone !== undefined) return 'transferred';
  if (change.state !== undefined) return change.state === 'closed' ? 'closed' : 'reopened';
  return change.labels === undefined ? null : 'labeled';
}

/** Text that GitHub does not search for references: comments, code blocks and code spans. */
const QUIET_TEXT = /<!--[\s\S]*?-->|^(`{3,}|~{3,})[\s\S]*?^\1|(`+)(?!`)[\s\S]*?[^`]\2(?!`)/gm;

/**
 * The issues that reference an issue or pull request: each shows in the other's timeline. An address counts on github.com
 * itself and on the double, not on redirect.github.com.
 */
export function referencesTo(
  issues: readonly StoredIssue[],
  repository: string,
  number: number,
  base: string,
): readonly StoredIssue[] {
  const name = repository.replace(/[.]/g, '\\.');
  const address = `(?:https://github\\.com|${base.replace(/[.]/g, '\\.')})/${name}/(?:pull|issues)/${number}`;
  const mention = new RegExp(`${address}(?!\\d)|(?:^|[\\s(\\[])(?:#|GH-|${name}#)${number}(?!\\w)`, 'im');
  return issues.filter(({ body }) => mention.test(body.replace(QUIET_TEXT, ' ')));
}
