import { createHmac, randomUUID } from 'node:crypto';
import { sendEvent } from '../shared/http.js';
import type { Webhook } from '../shared/options.js';
import { shownState } from './issues.js';
import type { DoubleMergeRequest } from './options.js';
import type { StoredIssue } from './state.js';

/** Sends an event in the background, once. A signing token signs it by the Standard Webhooks rules; a secret token is sent as it is. */
function send({ url, secret }: Webhook, name: string, payload: object): void {
  const body = JSON.stringify(payload);
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const proof: Record<string, string> = secret.startsWith('whsec_')
    ? { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
    : { 'x-gitlab-token': secret };
  const headers = {
    'user-agent': 'GitLab/double',
    'x-gitlab-event': name,
    'x-gitlab-event-uuid': id,
    ...proof,
  };
  sendEvent(url, headers, body);
}

export function sendIssueEvent(webhook: Webhook, issue: StoredIssue, action: string, base: string): void {
  const { id, number, title, body, state, confidential, repository } = issue;
  const object_attributes = {
    ...{ id, iid: number, title, description: body, state: shownState(state), action, confidential },
    url: `${base}/${repository}/-/issues/${number}`,
  };
  send(webhook, confidential ? 'Confidential Issue Hook' : 'Issue Hook', {
    object_kind: 'issue',
    event_type: confidential ? 'confidential_issue' : 'issue',
    project: { path_with_namespace: repository, web_url: `${base}/${repository}` },
    object_attributes,
  });
}

export function sendMergeEvent(
  webhook: Webhook,
  project: string,
  { iid, title, merge_commit_sha }: DoubleMergeRequest,
  description: string,
): void {
  send(webhook, 'Merge Request Hook', {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    project: { path_with_namespace: project },
    object_attributes: { iid, title, description, state: 'merged', action: 'merge', merge_commit_sha },
  });
}
