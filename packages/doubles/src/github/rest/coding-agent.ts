import { allows, type RepositoryRequest } from './request.js';

/** Copilot's coding agent. It is assigned by this name, and shown as `Copilot`. */
export const AGENT = 'copilot-swe-agent[bot]';

/** The agent needs a user whose token may write code and pull requests, and a repository in which it is turned on. */
export function hasAgent({ token, repository }: RepositoryRequest): boolean {
  const mayWrite = allows(token, 'contents', 'write') && allows(token, 'pull_requests', 'write');
  return repository.codingAgent === true && mayWrite && !token.app;
}
