import { CulpritError } from '@culprit/core/connector';
import type { CodingAgent, IssueComment } from '@culprit/core/internal/ports/publisher';
import * as v from 'valibot';
import { iso } from '../shared/hosts/code-host.js';
import { RequestFailure } from '../shared/hosts/errors.js';
import { type CommentObject, comment } from '../shared/hosts/publisher.js';
import { errors, read, type Target, targetOf } from './ask.js';
import type { GithubClient } from './client.js';

const PER_PAGE = 100;
/** How GitHub's API names the agent, and how its responses show it. */
const AGENT = 'copilot-swe-agent[bot]';
const SHOWN = /^copilot(?:-swe-agent)?(?:\[bot\])?$/i;
const RIGHTS = 'Actions, Contents, Issues and Pull requests: write';

const assigned = v.object({ assignees: v.array(v.object({ login: v.string() })) });

/** The comments of an issue, oldest first, in pages. `since`: ISO 8601, only those changed since then. */
export async function* commentPages(
  { client, at }: Target,
  number: number,
  since?: string,
): AsyncGenerator<readonly CommentObject[]> {
  const query = { ...at, issue_number: number, per_page: PER_PAGE, ...(since && { since }) };
  for await (const { data } of client.pages(client.rest.issues.listComments, query))
    yield read(v.array(comment), data);
}

/**
 * Copilot's coding agent, assigned as docs.github.com describes ("Using the REST API", assigning issues to Copilot). "It gets sent the issue
 * title, description, and any comments that currently exist" (docs: using Copilot to work on an issue), and nothing else is sent to it. Those of
 * users without write access are not presented to it (docs: risks and mitigations), but their authors' access is not in a response, so all count.
 * GitHub ignores an assignee that it cannot assign, so the response is checked.
 */
export function githubAgent(
  client: GithubClient,
  ownLogin: (target: Target) => Promise<string>,
): CodingAgent {
  return {
    async comments(repository, number, signal) {
      const target = targetOf(client, repository, signal);
      const found: IssueComment[] = [];
      const own = (await ownLogin(target)).toLowerCase();
      try {
        for await (const page of commentPages(target, number))
          found.push(...page.map(mapComment).filter(({ by }) => by.toLowerCase() !== own && !SHOWN.test(by)));
      } catch (error) {
        throw failureOf(error, target, number);
      }
      return found;
    },
    async assign(repository, number, signal) {
      const target = targetOf(client, repository, signal);
      const parameters = { ...target.at, issue_number: number, assignees: [AGENT] };
      const { data } = await client.rest.issues.addAssignees(parameters).catch((error: unknown) => {
        throw failureOf(error, target, number);
      });
      const parsed = v.safeParse(assigned, data);
      if (parsed.success && parsed.output.assignees.some(({ login }) => SHOWN.test(login))) return;
      throw refused(
        `GitHub did not assign its coding agent to issue ${number} of ${repository}. Turn the agent on for the repository and for the user of GITHUB_AGENT_TOKEN; the token needs ${RIGHTS}.`,
      );
    },
  };
}

/** The account of a comment may be gone; its text is still read. */
function mapComment({ html_url, created_at, updated_at, user, body }: CommentObject): IssueComment {
  return { url: html_url, by: user?.login ?? 'ghost', at: iso(updated_at ?? created_at), body: body ?? '' };
}

function failureOf(error: unknown, target: Target, number: number): CulpritError {
  const failed = errors.codeHostError(error, target, RIGHTS);
  if (failed.retryable) return failed;
  const isGone = error instanceof RequestFailure && error.failure.status === 410;
  return refused(isGone ? `Issue ${number} of ${target.repository} was deleted.` : failed.message);
}

function refused(detail: string): CulpritError {
  return new CulpritError('hand_off_refused', detail);
}
