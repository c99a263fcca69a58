import type { Publication, Run, RunRecord } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import type { IssueToPublish, PublishedIssue } from '../ports/publisher.js';
import type { EngineServices } from '../runs/services.js';
import { publisherOf } from '../runs/system-of.js';
import { issueOf, markerOf, searchSince } from './issue.js';
import { destinationOf } from './reopen.js';

/** What was signed and sent, and what the code host shows of it now. */
export interface PublishedText {
  /** The issue as sent. */
  readonly expected: IssueToPublish;
  /** The reviewer whom the trailer names; `null` if it names nobody. */
  readonly signer: string | null;
  /** The issue on the code host, or the comment with the marker; `null` if it was deleted. */
  readonly issue: PublishedIssue | null;
}

type Parts = Pick<EngineServices, 'publisher' | 'install' | 'runHistory'>;

/** Reads the issue of a published run. */
export async function publishedText(
  { publisher, install, runHistory }: Parts,
  { run, intent }: Pick<RunRecord, 'run' | 'intent'>,
  { digest, number }: Publication,
  signal: AbortSignal,
): Promise<PublishedText> {
  if (publisher === null)
    throw new CulpritError('no_publisher', 'Add the publisher connector that published the issue.');
  const marker = intent?.marker ?? markerOf(install.key, run);
  const expected = issueOf(withDigest(run, digest), { ...intent, digest, marker });
  const issue =
    expected.reopens === undefined
      ? await publisher.read(expected.repository, number, signal)
      : await destinationOf(publisherOf(publisher, expected.repository), expected).find(
          await searchSince(run, runHistory, install.since),
          signal,
        );
  return { expected, signer: intent?.named ? intent.reviewer : null, issue };
}

function withDigest(run: Run, digest: string): Run {
  return run.draft === null ? run : { ...run, draft: { ...run.draft, digest } };
}
