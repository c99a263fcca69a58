import type { Config } from '../config/config.js';
import type { IssueWebhook } from '../server/routes/issue-events.js';
import type { RepositoryHost } from './hosts/host.js';
import { HOSTS } from './hosts/hosts.js';

/** The webhook of each host that has one. Without a configuration all are closed, as in the reference. */
export function composeIssueEvents(config: Config | null): readonly IssueWebhook[] {
  return Object.entries<RepositoryHost>(HOSTS).flatMap(([host, { issueEvents, titles }]) => {
    if (issueEvents === undefined) return [];
    const { setting, headers, compose } = issueEvents;
    const receiver = config === null ? null : compose(config);
    return [{ host, title: titles.publisher, setting, headers, receiver }];
  });
}
