import type { ReopenTarget } from '../domain/draft.js';
import type { SignedComment } from '../domain/run.js';
import { CulpritError, isCulpritError } from '../errors/error.js';
import type { IssueToPublish, PublishedComment, PublishedIssue, Publisher } from '../ports/publisher.js';

/** Why the issue cannot be reopened; `null` if it can. */
export function whyNotReopened(
  issue: PublishedIssue | null,
  { url }: Pick<ReopenTarget, 'url'>,
): string | null {
  if (issue === null) return 'it was deleted, or transferred out of sight';
  if (issue.url !== url) return 'it was transferred, or its repository was renamed';
  return issue.locked === true ? 'it is locked' : null;
}

/** An issue, or a comment in the shape of one: then `comment_url` is set. */
export type Created = PublishedIssue & { readonly comment_url?: string };

/** Where a signed draft goes. The calls follow the rules of {@link Publisher}. */
export interface Destination {
  find(since: string, signal: AbortSignal): Promise<Created | null>;
  /** Rejects if a creation must not be attempted. Only reads. */
  check(signal: AbortSignal): Promise<void>;
  create(signal: AbortSignal): Promise<Created>;
  /** Opens the issue after the comment. If the host refuses that, the divergence says so. */
  open(comment: SignedComment, signal: AbortSignal): Promise<Created>;
}

/** A new issue, or the issue that the draft reopens; never one instead of the other. */
export function destinationOf(publisher: Publisher, issue: IssueToPublish): Destination {
  const { reopens } = issue;
  return reopens === undefined ? newIssue(publisher, issue) : oldIssue(publisher, issue, reopens);
}

function newIssue(publisher: Publisher, issue: IssueToPublish): Destination {
  return {
    find: (since, signal) => publisher.find(issue.repository, issue.marker, since, signal),
    check: async () => {},
    create: (signal) => publisher.create(issue, signal),
    open: async () => {
      throw new Error('a new issue is open');
    },
  };
}

function oldIssue(publisher: Publisher, issue: IssueToPublish, target: ReopenTarget): Destination {
  const { repository, marker, body } = issue;
  const { number } = target;
  const reopening = () => {
    if (publisher.reopening === undefined) throw refused(target, 'the publisher cannot reopen issues');
    return publisher.reopening;
  };
  return {
    find: async (since, signal) => {
      const comment = await reopening().find(repository, number, marker, since, signal);
      return comment && asIssue(issue, target, comment);
    },
    check: async (signal) => {
      const why = whyNotReopened(await publisher.read(repository, number, signal), target);
      if (why !== null) throw refused(target, why);
    },
    create: async (signal) =>
      asIssue(issue, target, await reopening().comment(repository, number, body, signal)),
    open: async (comment, signal) => {
      const shown = asIssue(issue, target, { ...comment, body });
      const { divergence } = comment;
      if (target.only_comment === true) return { ...shown, divergence };
      try {
        await reopening().open(repository, number, signal);
        return { ...shown, divergence };
      } catch (error) {
        if (!isCulpritError(error) || error.retryable) throw error;
        return { ...shown, divergence: [...divergence, `the issue was not reopened: ${error.message}`] };
      }
    },
  };
}

/** Only the text and the place of a comment can differ from what was signed: everything else of the issue stays. */
function asIssue(
  { title, labels, assignees }: IssueToPublish,
  { number, url }: ReopenTarget,
  { url: comment_url, created_at, body }: PublishedComment,
): Created {
  const content = { title, body, labels, assignees };
  const issue: Created = { number, url, comment_url, created_at, state: 'open', ...content };
  if (comment_url.startsWith(url)) return issue;
  return { ...issue, divergence: [`the issue was transferred: the comment is ${comment_url}`] };
}

function refused({ number }: ReopenTarget, why: string): CulpritError {
  return new CulpritError(
    'reopen_refused',
    `Issue ${number} cannot be reopened: ${why}. Return the run to Gate 1 and approve it again for a draft of a new issue.`,
  );
}
