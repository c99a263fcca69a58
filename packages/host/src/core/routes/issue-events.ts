import type { GithubWebhook } from '@culprit/connectors/github';
import type { Engine } from '@culprit/core';
import { unauthenticated } from '../authenticate.js';
import type { CoreRoute } from '../route.js';

/** An issue's text has at most 65,536 characters, which take up to six bytes each in JSON; the rest of an event is small. */
const LIMIT = 1024 * 1024;

export interface IssueEventParts {
  readonly engine: () => Promise<Engine>;
  /** `null` if no secret is set. */
  readonly issueEvents: GithubWebhook | null;
}

/** Changes and fixes of issues, reported and signed by GitHub. */
export function issueEventRoutes({ engine, issueEvents }: IssueEventParts): CoreRoute[] {
  return [
    {
      method: 'POST',
      pattern: '/webhook/github',
      access: 'open',
      ...(issueEvents === null ? {} : { bodyLimit: LIMIT }),
      admit() {
        if (issueEvents === null) throw disabled();
      },
      doc: {
        summary:
          'Receive an event of GitHub about an issue or a merged pull request; the issue is then read again',
        headers: {
          'X-Hub-Signature-256': '`sha256=` and HMAC-SHA256 of the body with GITHUB_WEBHOOK_SECRET',
          'X-GitHub-Event': 'Events other than `issues` and `pull_request` are ignored',
        },
        answers: { 202: { what: 'Accepted' } },
        problems: ['malformed', 'unauthenticated', 'storage_unavailable'],
      },
      async handle({ headers, body }) {
        if (issueEvents === null) throw disabled();
        await issueEvents.receive(await engine(), { headers, body });
        return { status: 202 };
      },
    },
  ];
}

const disabled = () => unauthenticated('The webhook is disabled. Set GITHUB_WEBHOOK_SECRET.');
