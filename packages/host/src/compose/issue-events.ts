import { type GithubWebhook, githubWebhook } from '@culprit/connectors/github';
import type { Config } from '../config/config.js';

/** Receives GitHub's events about issues; `null` without a secret, which closes the endpoint. */
export function composeIssueEvents({ githubWebhookSecret: secrets }: Config): GithubWebhook | null {
  return secrets.length === 0 ? null : githubWebhook({ secrets: secrets.map((one) => one.reveal()) });
}
