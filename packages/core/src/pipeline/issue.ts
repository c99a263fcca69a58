import { inject, injectable } from '../di/inject.js';
import type { Publication, PublishIntent, Run, RunRecord } from '../domain/run.js';
import { CulpritError } from '../errors/error.js';
import { type IssueToPublish, type PublishedIssue, Publisher } from '../ports/publisher.js';
import { RunHistory } from '../ports/run-history.js';
import { Install } from '../runs/install.js';
import { publisherOf } from '../runs/system-of.js';
import { destinationOf } from './destination.js';
import { publishedBody, trailerOf } from './draft/trailer.js';
import { hmacSha256Hex } from './hash.js';

/** Maximum clock difference to the code host. */
export const CLOCKS_MS = 24 * 60 * 60_000;

/** The issue as sent: the signed draft plus the trailer, a pure function of the run. */
export function issueOf(
  run: Run,
  signed: Pick<PublishIntent, 'digest' | 'marker' | 'audit' | 'named'> &
    Partial<Pick<PublishIntent, 'reviewer'>>,
): IssueToPublish {
  const { draft, explanation, run_id } = run;
  if (draft === null || draft.digest !== signed.digest)
    throw new Error('the draft is not the one that was signed');
  const { repository, title, body, labels, assignees, reopens } = draft;
  const trailer = trailerOf({
    run_id,
    digest: signed.digest,
    marker: signed.marker,
    audit: signed.audit,
    explanation: explanation?.source ?? 'template',
    model: explanation?.model ?? null,
    signer: signed.named ? signed.reviewer : undefined,
    edited: draft.edited_by !== null,
  });
  const { marker } = signed;
  const text = publishedBody(body, trailer);
  return { repository, title, body: text, labels, assignees, marker, ...(reopens && { reopens }) };
}

/** What was signed and sent, and what the code host shows of it now. */
export interface PublishedText {
  /** The issue as sent. */
  readonly expected: IssueToPublish;
  /** The reviewer whom the trailer names; `null` if it names nobody. */
  readonly signer: string | null;
  /** The issue on the code host, or the comment with the marker; `null` if it was deleted. */
  readonly issue: PublishedIssue | null;
}

/** The issues of runs, under this installation's markers. */
@injectable()
export class Issues {
  constructor(
    @inject(Publisher) private readonly publisher: Publisher | null,
    @inject(RunHistory) private readonly runHistory: RunHistory,
    @inject(Install) private readonly install: Install,
  ) {}

  /** Identifies a publication in the issue's body; cannot be forged without the install key. */
  marker({ project, fingerprint, generation }: Pick<Run, 'project' | 'fingerprint' | 'generation'>): string {
    return hmacSha256Hex(this.install.key, JSON.stringify([project, fingerprint.hash, generation]));
  }

  /**
   * The issue that a standing draft would become if `reviewer` signed it now; once it is signed, the issue that it becomes. The run
   * must have a draft.
   */
  toSign({ run, intent, sealed }: RunRecord, reviewer: string | undefined): IssueToPublish {
    const audit = intent === null ? sealed?.mac : intent.audit;
    const signer = intent ?? (reviewer === undefined ? undefined : { named: true as const, reviewer });
    return issueOf(run, {
      digest: run.draft?.digest ?? '',
      marker: this.marker(run),
      ...(audit === undefined ? {} : { audit }),
      ...(signer?.named ? { named: signer.named, reviewer: signer.reviewer } : {}),
    });
  }

  /**
   * The earliest creation time of this run's issue. A storage restored from a backup does not know what it published since,
   * so the search goes back to the installation's start.
   */
  async since(run: Run): Promise<string> {
    const [staged] = await this.runHistory.history(run.run_id);
    const dates = [run.first_seen, staged?.at ?? run.first_seen, this.install.since].map(Date.parse);
    return new Date(Math.max(0, Math.min(...dates) - CLOCKS_MS)).toISOString();
  }

  /** Reads the issue of a published run. */
  async published(
    { run, intent }: Pick<RunRecord, 'run' | 'intent'>,
    { digest, number }: Publication,
    signal: AbortSignal,
  ): Promise<PublishedText> {
    const { publisher } = this;
    if (publisher === null)
      throw new CulpritError('no_publisher', 'Add the publisher connector that published the issue.');
    const marker = intent?.marker ?? this.marker(run);
    const expected = issueOf(withDigest(run, digest), { ...intent, digest, marker });
    const issue =
      expected.reopens === undefined
        ? await publisher.read(expected.repository, number, signal)
        : await destinationOf(publisherOf(publisher, expected.repository), expected).find(
            await this.since(run),
            signal,
          );
    return { expected, signer: intent?.named ? intent.reviewer : null, issue };
  }
}

function withDigest(run: Run, digest: string): Run {
  return run.draft === null ? run : { ...run, draft: { ...run.draft, digest } };
}
