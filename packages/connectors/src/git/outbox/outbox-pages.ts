import { namedRun } from '@culprit/core';
import { readOutboxIssue } from './issue-folder.js';
import { renderIssuePage } from './issue-page.js';
import { issuePageCss } from './issue-page-css.js';

/** One issue's page. */
export interface OutboxPage {
  readonly html: string;
  /** The run that the issue was published for; `null` if its text names none any more. */
  readonly run_id: string | null;
}

/** The pages that a host serves below `/outbox/`, at the `baseUrl` of `outbox`. */
export interface OutboxPages {
  /** `null` if the issue does not exist. */
  issue(number: number): Promise<OutboxPage | null>;
  readonly issueCss: string;
}

/** For the `documents` option of `startCore` or `createFetchHandler`; `directory` is the outbox's. */
export function outboxPages({ directory }: { readonly directory: string }): OutboxPages {
  return {
    issueCss: issuePageCss,
    async issue(number) {
      const issue = await readOutboxIssue(directory, number);
      return issue && { html: renderIssuePage(issue), run_id: namedRun(issue.body)?.run_id ?? null };
    },
  };
}
