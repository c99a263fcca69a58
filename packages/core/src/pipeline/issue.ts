import type { PublishIntent, Run } from '../domain/run.js';
import type { IssueToPublish } from '../ports/publisher.js';
import type { RunHistory } from '../ports/run-history.js';
import { publishedBody, trailerOf } from './draft/trailer.js';
import { hmacSha256Hex } from './hash.js';

/** By how much the code host's clock may differ from ours. */
const CLOCKS_MS = 24 * 60 * 60_000;

/** Names this publication in the issue's body: nobody without the install key can make it. */
export function markerOf(
  installKey: string,
  run: Pick<Run, 'project' | 'fingerprint' | 'generation'>,
): string {
  return hmacSha256Hex(installKey, JSON.stringify([run.project, run.fingerprint.hash, run.generation]));
}

/** The issue as it is sent: the signed draft and the trailer, which is a pure function of the run. */
export function issueOf(
  run: Run,
  signed: Pick<PublishIntent, 'digest' | 'marker' | 'audit'>,
): IssueToPublish {
  const { draft, explanation, run_id } = run;
  if (draft === null || draft.digest !== signed.digest)
    throw new Error('the draft is not the one that was signed');
  const { repository, title, body, labels, assignees } = draft;
  const trailer = trailerOf({
    run_id,
    digest: signed.digest,
    marker: signed.marker,
    audit: signed.audit,
    explanation: explanation?.source ?? 'template',
    model: explanation?.model ?? null,
    edited: draft.edited_by !== null,
  });
  return { repository, title, body: publishedBody(body, trailer), labels, assignees, marker: signed.marker };
}

/**
 * From when an issue of this run may be: from its own beginning, and from that of the installation. A storage that was
 * restored from a backup knows nothing of what it published since, so everything that it ever made is looked at.
 */
export async function searchSince(run: Run, runHistory: RunHistory, installed: string): Promise<string> {
  const [staged] = await runHistory.history(run.run_id);
  const dates = [run.first_seen, staged?.at ?? run.first_seen, installed].map(Date.parse);
  return new Date(Math.max(0, Math.min(...dates) - CLOCKS_MS)).toISOString();
}
