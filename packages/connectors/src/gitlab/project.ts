import { read } from '../shared/read-answer.js';
import type { Target } from './ask.js';
import type { GitlabAnswer, Parameters } from './client.js';
import { requestFailure, unreadable } from './errors.js';
import { RequestFailure } from './request-failure.js';
import { project as projectSchema } from './schema.js';

const MOVED = /moved projects/i;

/**
 * One write. GitLab refuses it under the former path of a moved project, and did nothing then, so it is sent again with the
 * project's number, which a read finds. A refusal that the project itself explains rejects with that explanation.
 */
export async function write(target: Target, route: string, parameters: Parameters): Promise<GitlabAnswer> {
  const { client, id, signal } = target;
  try {
    return await client.rest(route, { id, ...parameters }, signal);
  } catch (error) {
    const failure = requestFailure(error);
    const { status, message } = failure;
    if (status === 405 && MOVED.test(message)) {
      const answer = await client.rest('GET /projects/{id}', { id }, signal).catch(() => null);
      if (answer === null) throw failure;
      const found = read(projectSchema, answer.data, unreadable);
      return client.rest(route, { id: found.id, ...parameters }, signal);
    }
    const why = status === 403 && !/insufficient_scope/.test(message) ? await whyForbidden(target) : null;
    throw why === null ? failure : new RequestFailure(status, why, failure.headers);
  }
}

/** What about a project forbids issues for everybody; `null`: nothing, so a role is missing. */
async function whyForbidden({ client, id, repository, signal }: Target): Promise<string | null> {
  const answer = await client.rest('GET /projects/{id}', { id }, signal).catch(() => null);
  if (answer === null) return null;
  const { archived, issues_access_level } = read(projectSchema, answer.data, unreadable);
  if (archived === true)
    return `${repository} is archived, so it accepts no issues. Unarchive it, or publish to another project.`;
  return issues_access_level === 'disabled'
    ? `Issues are disabled in ${repository}. Enable them in its settings.`
    : null;
}
