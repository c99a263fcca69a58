import { allows, type RestRequest, type World } from './request.js';

/** Copilot's coding agent. It is assigned by this name, and shown as `Copilot`. */
export const AGENT = 'copilot-swe-agent[bot]';

/** The agent needs a user whose token may write code and pull requests, and a repository in which it is turned on. */
export function hasAgent({ options }: World, { token }: RestRequest, name: string): boolean {
  const mayWrite = allows(token, 'contents', 'write') && allows(token, 'pull_requests', 'write');
  return options.repositories[name]?.codingAgent === true && mayWrite && !token.app;
}
