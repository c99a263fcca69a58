import type { EvidenceBundle, Run } from '@culprit/core';
import type { RecordedCall } from '@culprit/core/internal/domain/evidence';
import { type Answer, listOf, untrusted } from './answer.js';
import type { RunReads } from './tools.js';

const MAX_CALLS = 40;

/**
 * What the analysis was based on: the claims with their quotes, and which calls it made. The code host's replies are not
 * included: they hold whole files, of which only the parts that drafts may quote go to a model.
 */
export async function getEvidence(reads: RunReads, runId: string): Promise<Answer> {
  const [run, bundle] = await Promise.all([
    reads.getRun({ run_id: runId }),
    reads.getEvidence({ run_id: runId }),
  ]);
  return {
    heading: `Evidence of run ${untrusted(runId)}`,
    blocks: [listOf(factsOf(run, bundle)), claimsText(run), callsText(bundle)],
  };
}

function factsOf({ draft }: Run, bundle: EvidenceBundle): readonly string[] {
  const versions = Object.entries(bundle.versions).map(([name, version]) => untrusted(`${name} ${version}`));
  return [
    `Analysed at ${untrusted(bundle.analyzed_at)}, cycle ${bundle.cycle}`,
    `Versions: ${versions.join(', ')}`,
    `Event: ${untrusted(bundle.event.event_id)}`,
    ...(draft?.edited_by ? [`The draft was edited by ${untrusted(draft.edited_by)}`] : []),
  ];
}

function claimsText({ explanation }: Run): string {
  const claims = (explanation?.claims ?? []).map(({ text, cites }) => {
    const quotes = cites.map(
      ({ evidence, quote }) => `${untrusted(evidence, 'span', 80)} says ${untrusted(quote, 'span', 80)}`,
    );
    return `${untrusted(text, 'span', 400)}\n${quotes.map((quote) => `  - ${quote}`).join('\n')}`;
  });
  const none = 'No claim is supported by the evidence.';
  return `### Claims and their quotes\n\n${claims.length === 0 ? none : listOf(claims)}`;
}

function callsText({ calls }: EvidenceBundle): string {
  const lines = calls.slice(0, MAX_CALLS).map(callText);
  const more = calls.length > MAX_CALLS ? [`${calls.length - MAX_CALLS} more calls are not shown.`] : [];
  const text = lines.length === 0 ? 'None.' : listOf(lines);
  return ['### Calls to the code host and the model', text, ...more].join('\n\n');
}

function callText({ port, method, request, answer, error }: RecordedCall): string {
  const asked = untrusted(JSON.stringify(request), 'span', 160);
  const name = untrusted(`${port} ${method}`);
  if (error !== null)
    return `${name} ${asked}: failed with ${untrusted(`${error.code}: ${error.detail}`, 'span', 200)}`;
  return `${name} ${asked}: ${JSON.stringify(answer).length} characters`;
}
