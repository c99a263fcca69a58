import { type CodingAgent, CulpritError, type IssueComment } from '@culprit/core';
import * as v from 'valibot';
import { type RepositoryName, repositoryName } from './ask.js';
import type { GithubClient } from './client.js';
import { commentPages } from './comments.js';
import { codeHostError, type HttpFailure, httpFailure } from './errors.js';
import type { CommentObject } from './schema.js';

/** How GitHub's API names the agent, and how its responses show it. */
const AGENT = 'copilot-swe-agent[bot]';
const SHOWN = /^copilot(?:-swe-agent)?(?:\[bot\])?$/i;
const RIGHTS = 'Actions, Contents, Issues and Pull requests: write';

const assigned = v.object({ assignees: v.array(v.object({ login: v.string() })) });

/**
 * Copilot's coding agent, assigned as docs.github.com describes ("Using the REST API", assigning issues to Copilot). "It gets sent the issue
 * title, description, and any comments that currently exist" (docs: using Copilot to work on an issue), and nothing else is sent to it. Those of
 * users without write access are not presented to it (docs: risks and mitigations), but their authors' access is not in a response, so all count.
 * GitHub ignores an assignee that it cannot assign, so the
 * response is checked.
 */
export function githubAgent(
  client: GithubClient,
  ownLogin: (target: RepositoryName) => Promise<string>,
): CodingAgent {
  return {
    async comments(repository, number, signal) {
      const target = repositoryName(client, repository, signal);
      const found: IssueComment[] = [];
      const own = (await ownLogin(target)).toLowerCase();
      const unlisted = (error: unknown) => {
        signal.throwIfAborted();
        return failureOf(httpFailure(error), repository, number);
      };
      for await (const page of commentPages(target, { number }, unlisted))
        found.push(...page.map(mapComment).filter(({ by }) => by.toLowerCase() !== own && !SHOWN.test(by)));
      return found;
    },
    async assign(repository, number, signal) {
      const { at } = repositoryName(client, repository, signal);
      const parameters = { ...at, issue_number: number, assignees: [AGENT] };
      const { data } = await client.rest.issues.addAssignees(parameters).catch((error: unknown) => {
        signal.throwIfAborted();
        throw failureOf(httpFailure(error), repository, number);
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
  const at = new Date(updated_at ?? created_at).toISOString();
  return { url: html_url, by: user?.login ?? 'ghost', at, body: body ?? '' };
}

function failureOf(failure: HttpFailure, repository: string, number: number): CulpritError {
  const error = codeHostError(failure, repository, RIGHTS, Date.now());
  if (error.retryable) return error;
  if (failure.status === 410) return refused(`Issue ${number} of ${repository} was deleted.`);
  return refused(error.message);
}

function refused(detail: string): CulpritError {
  return new CulpritError('hand_off_refused', detail);
}
