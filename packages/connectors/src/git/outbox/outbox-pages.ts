import { readOutboxIssue } from './issue-folder.js';
import { renderIssuePage } from './issue-page.js';
import { issuePageCss } from './issue-page-css.js';

/** The pages that a host serves below `/outbox/`, where `outbox`'s `baseUrl` says that issues are. */
export interface OutboxPages {
  /** A whole HTML page; `null` where there is no such issue. */
  issue(number: number): Promise<string | null>;
  readonly issueCss: string;
}

/** For `startCore`'s or `createFetchHandler`'s `documents`; `directory` is the outbox's own. */
export function outboxPages({ directory }: { readonly directory: string }): OutboxPages {
  return {
    issueCss: issuePageCss,
    async issue(number) {
      const issue = await readOutboxIssue(directory, number);
      return issue && renderIssuePage(issue);
    },
  };
}
