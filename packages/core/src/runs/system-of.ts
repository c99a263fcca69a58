import type { CodeHost } from '../ports/code-host.js';
import type { Publisher } from '../ports/publisher.js';

/** The publisher that a repository's issues belong to, with exactly the optional methods that it has. */
export function publisherOf(publisher: Publisher, repository: string): Publisher {
  return publisher.systems?.of(repository) ?? publisher;
}

/** The code host of a repository. */
export function codeHostOf(codeHost: CodeHost, repository: string): CodeHost {
  return codeHost.systems?.of(repository) ?? codeHost;
}
