import type { Fix } from '../domain/fix.js';
import { CulpritError } from '../errors/error.js';
import { hasMarker } from '../pipeline/draft/trailer.js';
import type { Clock } from '../ports/clock.js';
import type {
  ClosedAs,
  IssueEdit,
  IssueToPublish,
  PublishedComment,
  PublishedIssue,
  Publisher,
  Reopening,
} from '../ports/publisher.js';
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
  /** The comments on these issues, oldest first. */
  readonly comments: readonly (PublishedComment & { readonly number: number })[];
  /** Calls received, successful or not. */
  readonly calls: { readonly find: number; readonly create: number; readonly read: number };
  /** The next creations, also of comments, fail in these ways, in order. */
  next(...failures: readonly PublishFailure[]): void;
  /** From now on `find` does not return issues newer than this. */
  lag(ms: number): void;
  /** The next `find` or `read` rejects with `code_host_unavailable`. */
  failNextLook(): void;
  /** The next openings and closings of an issue reject with these errors, in order. */
  nextOpen(...errors: readonly CulpritError[]): void;
  closeIssue(number: number, as?: ClosedAs, fix?: Fix): void;
  openIssue(number: number): void;
  /** It then accepts no comments. */
  lockIssue(number: number): void;
  unlockIssue(number: number): void;
  removeIssue(number: number): void;
  /** Somebody changes it on the code host. */
  editIssue(
    number: number,
    by: string,
    edit: Partial<Pick<PublishedIssue, 'title' | 'body' | 'labels'>>,
  ): void;
}

type Stored = MemoryPublisher['issues'][number];

/** A publisher that stores issues in memory and can fail on purpose. */
export function memoryPublisher(options: MemoryPublisherOptions = {}): MemoryPublisher {
  const { clock = systemClock, retryAfterMs = 30_000, alter = (issue) => issue } = options;
  const issues: Stored[] = [];
  const comments: MemoryPublisher['comments'][number][] = [];
  const edits = new Map<number, IssueEdit>();
  const failures: PublishFailure[] = [];
  const openFailures: CulpritError[] = [];
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

  /** One creation, which may fail on purpose. */
  const attempt = <Made>(make: () => Made): Made => {
    const failure = failures.shift();
    if (failure === undefined) return make();
    if (failure === 'ambiguous-created') make();
    throw errorOf(failure, retryAfterMs);
  };
  const listed = (created_at: string, since: string) =>
    created_at >= since && Date.parse(created_at) + lagMs <= clock.now();

  return {
    issues,
    comments,
    calls,
    reopening: memoryReopening({ issues, comments, openFailures, clock, look, attempt, listed }),
    nextOpen: (...errors) => void openFailures.push(...errors),
    lockIssue: (number) => change(issues, number, (issue) => [{ ...issue, locked: true }]),
    unlockIssue: (number) => change(issues, number, (issue) => [{ ...issue, locked: false }]),
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
    closeIssue: (number, closed_as, fix) =>
      change(issues, number, (issue) => [
        {
          ...closed(issue, clock),
          ...(closed_as === undefined ? {} : { closed_as }),
          ...(fix === undefined ? {} : { fix }),
        },
      ]),
    openIssue: (number) => change(issues, number, (issue) => [opened(issue)]),
    removeIssue: (number) => change(issues, number, () => []),
    editIssue(number, by, edit) {
      change(issues, number, (issue) => [{ ...issue, ...edit }]);
      if (edit.title !== undefined || edit.body !== undefined)
        edits.set(number, { at: new Date(clock.now()).toISOString(), by });
    },
    edits: { last: async (_repository, number) => edits.get(number) ?? null },
    find: async (repository, marker, since, signal) => {
      calls.find += 1;
      look(signal);
      const found = issues.find(
        (issue) =>
          issue.repository === repository && listed(issue.created_at, since) && hasMarker(issue.body, marker),
      );
      return found ? shown(found) : null;
    },
    create: async (issue, signal) => {
      calls.create += 1;
      signal.throwIfAborted();
      return attempt(() => store(issue));
    },
    read: async (repository, number, signal) => {
      calls.read += 1;
      look(signal);
      const found = issues.find((issue) => issue.repository === repository && issue.number === number);
      return found ? shown(found) : null;
    },
  };
}

interface ReopeningParts {
  readonly issues: Stored[];
  readonly comments: MemoryPublisher['comments'][number][];
  readonly openFailures: CulpritError[];
  readonly clock: Clock;
  readonly look: (signal: AbortSignal) => void;
  readonly attempt: <Made>(make: () => Made) => Made;
  readonly listed: (createdAt: string, since: string) => boolean;
}

function memoryReopening(parts: ReopeningParts): Reopening {
  const { issues, comments, openFailures, clock, look, attempt, listed } = parts;
  const issueAt = (number: number): Stored => {
    const issue = issues.find((one) => one.number === number);
    if (issue) return issue;
    throw new CulpritError('reopen_refused', `Issue ${number} does not exist.`);
  };
  return {
    find: async (_repository, number, marker, since, signal) => {
      look(signal);
      issueAt(number);
      const found = comments.find(
        (one) => one.number === number && listed(one.created_at, since) && hasMarker(one.body, marker),
      );
      return found === undefined ? null : shownComment(found);
    },
    comment: async (_repository, number, body, signal) => {
      signal.throwIfAborted();
      const { url, locked } = issueAt(number);
      if (locked === true) throw new CulpritError('reopen_refused', `Issue ${number} is locked.`);
      return attempt(() => {
        const created_at = new Date(clock.now()).toISOString();
        comments.push({ number, url: `${url}#issuecomment-${comments.length + 1}`, created_at, body });
        return { url: `${url}#issuecomment-${comments.length}`, created_at, body };
      });
    },
    open: async (_repository, number, signal) => {
      signal.throwIfAborted();
      const failure = openFailures.shift();
      if (failure !== undefined) throw failure;
      change(issues, issueAt(number).number, (issue) => [opened(issue)]);
    },
    close: async (_repository, number, signal) => {
      signal.throwIfAborted();
      const failure = openFailures.shift();
      if (failure !== undefined) throw failure;
      change(issues, issueAt(number).number, (issue) => [
        issue.state === 'open' ? closed(issue, clock) : issue,
      ]);
    },
  };
}

function opened({ closed_at: _at, closed_as: _as, ...issue }: Stored): Stored {
  return { ...issue, state: 'open' };
}

function closed(issue: Stored, clock: Clock): Stored {
  return { ...issue, state: 'closed', closed_at: new Date(clock.now()).toISOString() };
}

function shownComment({
  number: _number,
  ...comment
}: MemoryPublisher['comments'][number]): PublishedComment {
  return comment;
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
