import type { Check } from '@culprit/core';
import { type ForgejoClient, type Query, type RequestFailure, repositoryPath } from './client.js';
import { repositoryName } from './config.js';
import { BAD_TOKEN, forbidden, notShown, requestFailure } from './errors.js';

export interface CheckParts {
  readonly url: string;
  readonly reader: ForgejoClient;
  readonly writer: ForgejoClient;
  readonly repository: string | undefined;
  readonly publishRepository: string | undefined;
  readonly tryWriting: boolean;
}

/** Whether the server can be reached, the tokens are valid, and have the scopes that are needed. */
export async function checkForgejo(parts: CheckParts, signal: AbortSignal): Promise<readonly Check[]> {
  const { url, reader, writer, repository, publishRepository } = parts;
  const version = await outcome(() => reader.get('/version', {}, signal));
  if (version !== null) return [{ name: 'forgejo', ok: false, detail: sentence(version, url) }];
  const code = repository === undefined ? [] : [await readable(reader, repository, signal)];
  if (publishRepository === undefined) return code;
  const issues = await writable(writer, publishRepository, parts.tryWriting, signal);
  return [...code, issues];
}

async function readable(client: ForgejoClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'forgejo code';
  const path = repositoryPath(repositoryName(repository));
  const failure = await outcome(() => client.get(path, {}, signal));
  return failure === null
    ? { name, ok: true, detail: `the token reads ${repository}` }
    : { name, ok: false, detail: sentence(failure, repository) };
}

/** An issue without a title is rejected after the scope and before anything is created. */
async function writable(
  client: ForgejoClient,
  repository: string,
  tryWriting: boolean,
  signal: AbortSignal,
): Promise<Check> {
  const name = 'forgejo issues';
  const path = `${repositoryPath(repositoryName(repository))}/issues`;
  const list: Query = { type: 'issues', limit: 1 };
  const questions = [() => client.get('/user', {}, signal), () => client.get(path, list, signal)];
  for (const question of questions) {
    const failure = await outcome(question);
    if (failure !== null) return { name, ok: false, detail: sentence(failure, repository) };
  }
  if (tryWriting) {
    const failure = await outcome(() => client.send('POST', path, { title: '' }, signal));
    if (failure !== null && failure.status !== 422)
      return { name, ok: false, detail: sentence(failure, repository) };
  }
  return { name, ok: true, detail: `the token ${tryWriting ? 'creates' : 'lists'} issues in ${repository}` };
}

async function outcome(ask: () => Promise<unknown>): Promise<RequestFailure | null> {
  try {
    await ask();
    return null;
  } catch (error) {
    return requestFailure(error);
  }
}

function sentence({ status, message }: RequestFailure, subject: string): string {
  if (status === 0) return `${subject} is unreachable. Check FORGEJO_URL and the network.`;
  if (status === 401) return BAD_TOKEN;
  if (status === 403) return forbidden(message, subject);
  if (status === 404) return notShown(subject);
  if (status === 423) return `${subject} is archived, so it accepts no issues.`;
  return `The server returned ${status} for ${subject}: ${message.slice(0, 200)}`;
}
