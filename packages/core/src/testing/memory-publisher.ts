import { CulpritError } from '../errors/error.js';
import { hasMarker } from '../pipeline/draft/trailer.js';
import type { Clock } from '../ports/clock.js';
import type { IssueToPublish, PublishedIssue, Publisher } from '../ports/publisher.js';
import { systemClock } from '../system.js';
import type { PublishFailure } from './publisher-contract.js';

/** The behaviour of a `memoryPublisher`. */
export interface MemoryPublisherOptions {
  readonly clock?: Clock;
  /** How long `find` does not return a new issue. Default 0. */
  readonly listingLagMs?: number;
  /** The delay of a rate limit. Default 30,000. */
  readonly retryAfterMs?: number;
  /** How the host alters an issue before storing it, such as dropping a label. */
  readonly alter?: (issue: IssueToPublish) => IssueToPublish;
}

/** A code host's issues in memory, with failures on demand. */
export interface MemoryPublisher extends Publisher {
  /** Everything that was created, oldest first. */
  readonly issues: readonly (PublishedIssue & { readonly repository: string })[];
  /** Calls received, successful or not. */
  readonly calls: { readonly find: number; readonly create: number; readonly read: number };
  /** The next creations fail in these ways, in order. */
  next(...failures: readonly PublishFailure[]): void;
  /** From now on `find` does not return issues newer than this. */
  lag(ms: number): void;
  /** The next `find` or `read` rejects with `code_host_unavailable`. */
  failNextLook(): void;
  closeIssue(number: number): void;
  removeIssue(number: number): void;
}

type Stored = MemoryPublisher['issues'][number];

/** A publisher that stores issues in memory and can fail on purpose. */
export function memoryPublisher(options: MemoryPublisherOptions = {}): MemoryPublisher {
  const { clock = systemClock, retryAfterMs = 30_000, alter = (issue) => issue } = options;
  const issues: Stored[] = [];
  const failures: PublishFailure[] = [];
  const calls = { find: 0, create: 0, read: 0 };
  let lagMs = options.listingLagMs ?? 0;
  let failLook = false;
  let created = 0;

  const look = (signal: AbortSignal) => {
    signal.throwIfAborted();
    if (!failLook) return;
    failLook = false;
    throw new CulpritError('code_host_unavailable', 'The code host did not respond. Try again.');
  };
  const store = (asked: IssueToPublish): PublishedIssue => {
    const { marker: _marker, ...issue } = alter(asked);
    created += 1;
    const stored: Stored = {
      ...issue,
      number: created,
      url: `https://issues.example/${issue.repository}/issues/${created}`,
      created_at: new Date(clock.now()).toISOString(),
      state: 'open',
    };
    issues.push(stored);
    return shown(stored);
  };

  return {
    issues,
    calls,
    get listsAtOnce() {
      return lagMs === 0;
    },
    next: (...next) => void failures.push(...next),
    lag: (ms) => {
      lagMs = ms;
    },
    failNextLook: () => {
      failLook = true;
    },
    closeIssue: (number) => change(issues, number, (issue) => [{ ...issue, state: 'closed' }]),
    removeIssue: (number) => change(issues, number, () => []),
    find: async (repository, marker, since, signal) => {
      calls.find += 1;
      look(signal);
      const found = issues.find(
        (issue) =>
          issue.repository === repository &&
          issue.created_at >= since &&
          Date.parse(issue.created_at) + lagMs <= clock.now() &&
          hasMarker(issue.body, marker),
      );
      return found ? shown(found) : null;
    },
    create: async (issue, signal) => {
      calls.create += 1;
      signal.throwIfAborted();
      const failure = failures.shift();
      if (failure === undefined) return store(issue);
      if (failure === 'ambiguous-created') store(issue);
      throw errorOf(failure, retryAfterMs);
    },
    read: async (repository, number, signal) => {
      calls.read += 1;
      look(signal);
      const found = issues.find((issue) => issue.repository === repository && issue.number === number);
      return found ? shown(found) : null;
    },
  };
}

function shown({ repository: _repository, ...issue }: Stored): PublishedIssue {
  return issue;
}

function change(issues: Stored[], number: number, to: (issue: Stored) => readonly Stored[]): void {
  const at = issues.findIndex((issue) => issue.number === number);
  const issue = issues[at];
  if (issue) issues.splice(at, 1, ...to(issue));
}

function errorOf(failure: PublishFailure, retryAfterMs: number): CulpritError {
  switch (failure) {
    case 'refuse':
      return new CulpritError(
        'publish_refused',
        'The code host rejected the issue. Change it and approve again.',
      );
    case 'wait':
      return new CulpritError('publish_wait', 'The code host is limiting the request rate.', {
        retryAfterMs,
      });
    case 'ambiguous-created':
    case 'ambiguous-not-created':
      return new CulpritError('publish_ambiguous', 'The code host did not respond in time.');
  }
}
