import { namedRun } from '@culprit/core/internal/pipeline/draft/trailer';
import { type OutboxIssue, readOutboxIssue } from './issue-folder.js';
import { issuePageCss } from './issue-page-css.js';
import { escapeHtml, renderMarkdown } from './markdown.js';

/** Where the page expects {@link issuePageCss}, relative to the host's URL: beside the page. */
export const ISSUE_CSS_PATH = '/outbox/issue.css';

/** The issue as an HTML page: no script, no inline style, no external resources. */
export function renderIssuePage(issue: OutboxIssue): string {
  const title = escapeHtml(issue.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title} · Issue #${issue.number}</title>
<link rel="stylesheet" href="issue.css">
</head>
<body>
<main>
<header>
<p class="repository">${escapeHtml(issue.repository)}</p>
<h1>${title} <span class="number">#${issue.number}</span></h1>
<p class="meta"><span class="state ${issue.state}">${issue.state === 'open' ? 'Open' : 'Closed'}</span>
<span>Opened ${time(issue.created_at)} through Culprit’s outbox</span></p>
</header>
<div class="columns">
<article class="body">
${renderMarkdown(issue.body)}</article>
<aside>
<section><h2>Assignees</h2>${list(issue.assignees, 'No one', 'assignee')}</section>
<section><h2>Labels</h2>${list(issue.labels, 'None yet', 'label')}</section>
</aside>
</div>
</main>
</body>
</html>
`;
}

function time(iso: string): string {
  const readable = Number.isNaN(Date.parse(iso))
    ? iso
    : `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(readable)}</time>`;
}

function list(names: readonly string[], none: string, kind: 'assignee' | 'label'): string {
  if (names.length === 0) return `<p class="none">${none}</p>`;
  return `<ul>${names.map((name) => `<li class="${kind}${tone(name, kind)}">${escapeHtml(name)}</li>`).join('')}</ul>`;
}

/** Culprit's own labels have their own colours. */
function tone(name: string, kind: string): string {
  const known = kind === 'label' ? /^suspect:(auto|likely|none)$/.exec(name)?.[1] : undefined;
  if (known !== undefined) return ` ${known}`;
  return kind === 'label' && name === 'culprit' ? ' culprit' : '';
}

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
