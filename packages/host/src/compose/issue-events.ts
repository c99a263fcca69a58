import type { Config } from '../config/config.js';
import { variableOf } from '../config/setting.js';
import type { IssueWebhook } from '../server/routes/issue-events.js';
import type { RepositoryHost } from './hosts/host.js';
import { HOSTS } from './hosts/hosts.js';

/** The webhook of each host that has one. Without a configuration, or without secrets, it is closed. */
export function composeIssueEvents(config: Config | null): readonly IssueWebhook[] {
  return Object.entries<RepositoryHost>(HOSTS).flatMap(([host, { issueEvents, titles }]) => {
    if (issueEvents === undefined) return [];
    const { secrets: key, headers, open } = issueEvents;
    const secrets = config?.[key].map((secret) => secret.reveal()) ?? [];
    const receiver = secrets.length === 0 ? null : open({ secrets });
    return [{ host, title: titles.publisher, setting: variableOf(key), headers, receiver }];
  });
}
