import type { PublishIntent, Run, RunRecord } from '../domain/run.js';
import type { IssueToPublish } from '../ports/publisher.js';
import type { RunHistory } from '../ports/run-history.js';
import { publishedBody, trailerOf } from './draft/trailer.js';
import { hmacSha256Hex } from './hash.js';

/** Maximum clock difference to the code host. */
export const CLOCKS_MS = 24 * 60 * 60_000;

/** Identifies this publication in the issue's body; cannot be forged without the install key. */
export function markerOf(
  installKey: string,
  run: Pick<Run, 'project' | 'fingerprint' | 'generation'>,
): string {
  return hmacSha256Hex(installKey, JSON.stringify([run.project, run.fingerprint.hash, run.generation]));
}

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

/**
 * The issue that a standing draft would become if `reviewer` signed it now; once it is signed, the issue that it becomes. The run must have a
 * draft.
 */
export function issueToSign(
  { run, intent, sealed }: RunRecord,
  installKey: string,
  reviewer: string | undefined,
): IssueToPublish {
  const audit = intent === null ? sealed?.mac : intent.audit;
  const signer = intent ?? (reviewer === undefined ? undefined : { named: true as const, reviewer });
  return issueOf(run, {
    digest: run.draft?.digest ?? '',
    marker: markerOf(installKey, run),
    ...(audit === undefined ? {} : { audit }),
    ...(signer?.named ? { named: signer.named, reviewer: signer.reviewer } : {}),
  });
}

/**
 * The earliest creation time of this run's issue. A storage restored from a backup does not know what it published since,
 * so the search goes back to the installation's start.
 */
export async function searchSince(run: Run, runHistory: RunHistory, installed: string): Promise<string> {
  const [staged] = await runHistory.history(run.run_id);
  const dates = [run.first_seen, staged?.at ?? run.first_seen, installed].map(Date.parse);
  return new Date(Math.max(0, Math.min(...dates) - CLOCKS_MS)).toISOString();
}
