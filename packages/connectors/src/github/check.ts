import type { Check } from '@culprit/core';
import type { GithubClient } from './client.js';
import { type HttpFailure, httpFailure, isRateLimit } from './errors.js';

/** `/readyz` is probed every few seconds. A good result of this age is reused and costs no requests. */
const GOOD_FOR_MS = 60_000;

export interface CheckParts {
  readonly reader: GithubClient;
  readonly writer: GithubClient;
  readonly repository: string | undefined;
  readonly publishRepository: string | undefined;
  readonly tryWriting: boolean;
}

/** Checks the tokens' permissions; each failure says how to fix it. */
export async function checkGithub(parts: CheckParts, signal: AbortSignal): Promise<readonly Check[]> {
  const { reader, writer, repository, publishRepository, tryWriting } = parts;
  const token = await checkToken(reader, 'GITHUB_TOKEN', signal);
  if (!token.ok) return [token];
  const checks = [token];
  if (writer !== reader) {
    const second = await checkToken(writer, 'GITHUB_PUBLISH_TOKEN', signal);
    checks.push({ ...second, name: 'github publish token' });
    if (!second.ok) return checks;
  }
  const [contents, issues] = await Promise.all([
    repository === undefined ? null : checkContents(reader, repository, signal),
    publishRepository === undefined ? null : checkIssues(writer, publishRepository, tryWriting, signal),
  ]);
  return [...checks, ...(contents ? [contents] : []), ...(issues ? [issues] : [])];
}

/** Reuses a good result for a minute; a bad one is checked again. */
export function keptWhileGood(
  check: (signal: AbortSignal) => Promise<readonly Check[]>,
): (signal: AbortSignal) => Promise<readonly Check[]> {
  let kept: { readonly until: number; readonly checks: readonly Check[] } | null = null;
  return async (signal) => {
    if (kept !== null && Date.now() < kept.until) return kept.checks;
    const checks = await check(signal);
    kept = checks.every(({ ok }) => ok) ? { until: Date.now() + GOOD_FOR_MS, checks } : null;
    return checks;
  };
}

async function checkToken(client: GithubClient, variable: string, signal: AbortSignal): Promise<Check> {
  const failure = await probe(client, 'GET /user', {}, signal);
  const fix = `Create a new fine-grained token and set ${variable}.`;
  return resultOf('github token', failure, 'GitHub accepts the token', fix);
}

async function checkContents(client: GithubClient, name: string, signal: AbortSignal): Promise<Check> {
  const [owner, repo] = name.split('/');
  const failure = await probe(
    client,
    'GET /repos/{owner}/{repo}/commits',
    { owner, repo, per_page: 1 },
    signal,
  );
  const fix = `Give the token Contents: read and Metadata: read on ${name}.`;
  return resultOf('github contents', failure, `${name} is readable`, fix);
}

/**
 * Writing is tested with an issue without a title: GitHub checks the permission first and then rejects the issue for everyone.
 * Otherwise the issue list is read, as before every publication.
 */
async function checkIssues(
  client: GithubClient,
  name: string,
  tryWriting: boolean,
  signal: AbortSignal,
): Promise<Check> {
  const [owner, repo] = name.split('/');
  const [method, parameters] = tryWriting ? ['POST', { labels: [] }] : ['GET', { per_page: 1 }];
  const route = `${method} /repos/{owner}/{repo}/issues`;
  const failure = await probe(client, route, { owner, repo, ...parameters }, signal);
  const good = tryWriting && failure?.status === 422 ? null : failure;
  const fix =
    failure?.status === 410
      ? `Turn issues on in the settings of ${name}.`
      : `Give the token Issues: write on ${name}.`;
  return resultOf(
    'github issues',
    good,
    `issues of ${name} are ${tryWriting ? 'writable' : 'readable'}`,
    fix,
  );
}

/** `null`: the request succeeded. */
async function probe(
  client: GithubClient,
  route: string,
  parameters: Record<string, unknown>,
  signal: AbortSignal,
): Promise<HttpFailure | null> {
  try {
    await client.rest(route, parameters, signal);
    return null;
  } catch (error) {
    return httpFailure(error);
  }
}

function resultOf(name: string, failure: HttpFailure | null, good: string, fix: string): Check {
  if (failure === null) return { name, ok: true, detail: good };
  const { status, message } = failure;
  if (status === 0)
    return { name, ok: false, detail: 'GitHub is unreachable. Check GITHUB_API_URL and the network.' };
  if (isRateLimit(failure) || status >= 500)
    return { name, ok: false, detail: `GitHub returned ${status}: ${message.slice(0, 200)}` };
  return { name, ok: false, detail: `GitHub returned ${status} (${message.slice(0, 100)}). ${fix}` };
}
