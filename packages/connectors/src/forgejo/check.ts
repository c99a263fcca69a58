import type { Check } from '@culprit/core/connector';
import type { RestClient } from '../shared/hosts/client.js';
import { type HttpFailure, outcomeOf, RequestFailure } from '../shared/hosts/errors.js';
import { failed, passed } from '../shared/hosts/settings.js';
import { askUser, BAD_TOKEN, forbidden, notShown, send, targetOf } from './ask.js';

export interface CheckParts {
  readonly url: string;
  readonly reader: RestClient;
  readonly writer: RestClient;
  readonly repository: string | undefined;
  readonly publishRepository: string | undefined;
  readonly tryWriting: boolean;
}

/** Whether the server can be reached, the tokens are valid, and have the scopes that are needed. */
export async function checkForgejo(parts: CheckParts, signal: AbortSignal): Promise<readonly Check[]> {
  const { url, reader, writer, repository, publishRepository } = parts;
  const version = await outcomeOf(reader.rest('GET /version', {}, signal));
  if (version instanceof RequestFailure) return [failed('forgejo', sentence(version.failure, url))];
  const code = repository === undefined ? [] : [await readable(reader, repository, signal)];
  if (publishRepository === undefined) return code;
  const issues = await writable(writer, publishRepository, parts.tryWriting, signal);
  return [...code, issues];
}

async function readable(client: RestClient, repository: string, signal: AbortSignal): Promise<Check> {
  const name = 'forgejo code';
  const found = await outcomeOf(send(targetOf(client, repository, signal), 'GET /repos/{owner}/{repo}'));
  return found instanceof RequestFailure
    ? failed(name, sentence(found.failure, repository))
    : passed(name, `the token reads ${repository}`);
}

/** An issue without a title is rejected after the scope and before anything is created. */
async function writable(
  client: RestClient,
  repository: string,
  tryWriting: boolean,
  signal: AbortSignal,
): Promise<Check> {
  const name = 'forgejo issues';
  const target = targetOf(client, repository, signal);
  const list = { type: 'issues', limit: 1 };
  const questions = [() => askUser(target), () => send(target, 'GET /repos/{owner}/{repo}/issues', list)];
  const untitled = () => send(target, 'POST /repos/{owner}/{repo}/issues', { title: '' });
  for (const question of tryWriting ? [...questions, untitled] : questions) {
    const found = await outcomeOf(question());
    const isFine = !(found instanceof RequestFailure) || found.failure.status === 422;
    if (!isFine) return failed(name, sentence(found.failure, repository));
  }
  return passed(name, `the token ${tryWriting ? 'creates' : 'lists'} issues in ${repository}`);
}

function sentence({ status, message }: HttpFailure, subject: string): string {
  if (status === 0) return `${subject} is unreachable. Check FORGEJO_URL and the network.`;
  if (status === 401) return BAD_TOKEN;
  if (status === 403) return forbidden({ message }, subject);
  if (status === 404) return notShown(subject);
  if (status === 423) return `${subject} is archived, so it accepts no issues.`;
  return `The server returned ${status} for ${subject}: ${message.slice(0, 200)}`;
}
