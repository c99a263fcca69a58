import type { CodeHost, ConnectorContext, ConnectorParts, Publisher } from '@culprit/core/connector';
import { git } from '../../../src/git/index.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export const context: ConnectorContext = {
  fetch: () => Promise.reject(new Error('no network')),
  logger: silent,
  signal: new AbortController().signal,
};

/** A signal that is never aborted. */
export const signal: AbortSignal = new AbortController().signal;

export async function gitParts(config: Parameters<typeof git>[0] = {}): Promise<ConnectorParts> {
  const parts = await git(config).setup(context);
  opened.push(parts);
  return parts;
}

const opened: ConnectorParts[] = [];

/** Closes everything; called at the end of a test file. */
export async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((parts) => parts.close?.()));
}

export async function gitHost(config: Parameters<typeof git>[0] = {}): Promise<CodeHost> {
  const { codeHost } = await gitParts(config);
  if (!codeHost) throw new Error('no code host');
  return codeHost;
}

export function publisherOf({ publisher }: ConnectorParts): Publisher {
  if (!publisher) throw new Error('no publisher');
  return publisher;
}
