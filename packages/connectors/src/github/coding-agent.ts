import { type CodingAgent, CulpritError } from '@culprit/core';
import * as v from 'valibot';
import { repositoryName } from './ask.js';
import type { GithubClient, RestAnswer } from './client.js';
import { codeHostError, type HttpFailure, httpFailure } from './errors.js';

/** How GitHub's API names the agent, and how its responses show it. */
const AGENT = 'copilot-swe-agent[bot]';
const SHOWN = /^copilot(?:-swe-agent)?(?:\[bot\])?$/i;
const RIGHTS = 'Actions, Contents, Issues and Pull requests: write';

const assigned = v.object({ assignees: v.array(v.object({ login: v.string() })) });

/**
 * Copilot's coding agent, assigned as docs.github.com describes ("Using the REST API", assigning issues to Copilot). It reads the
 * issue's title, body and comments, and nothing else is sent to it. GitHub ignores an assignee that it cannot assign, so the
 * response is checked.
 */
export function githubAgent(client: GithubClient): CodingAgent {
  return {
    async assign(repository, number, signal) {
      const { owner, repo } = repositoryName(client, repository, signal);
      const parameters = { owner, repo, issue_number: number, assignees: [AGENT] };
      let answer: RestAnswer;
      try {
        const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees';
        answer = await client.rest(route, parameters, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(httpFailure(error), repository, number);
      }
      const parsed = v.safeParse(assigned, answer.data);
      if (parsed.success && parsed.output.assignees.some(({ login }) => SHOWN.test(login))) return;
      throw refused(
        `GitHub did not assign its coding agent to issue ${number} of ${repository}. Turn the agent on for the repository and for the user of GITHUB_AGENT_TOKEN; the token needs ${RIGHTS}.`,
      );
    },
  };
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
