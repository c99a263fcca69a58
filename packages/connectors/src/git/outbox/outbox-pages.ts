import { readOutboxIssue } from './issue-folder.js';
import { renderIssuePage } from './issue-page.js';
import { issuePageCss } from './issue-page-css.js';

/** The pages that a host serves below `/outbox/`, at the `baseUrl` of `outbox`. */
export interface OutboxPages {
  /** An HTML page; `null` if the issue does not exist. */
  issue(number: number): Promise<string | null>;
  readonly issueCss: string;
}

/** For the `documents` option of `startCore` or `createFetchHandler`; `directory` is the outbox's. */
export function outboxPages({ directory }: { readonly directory: string }): OutboxPages {
  return {
    issueCss: issuePageCss,
    async issue(number) {
      const issue = await readOutboxIssue(directory, number);
      return issue && renderIssuePage(issue);
    },
  };
}
