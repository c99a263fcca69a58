import * as v from 'valibot';
import { canonicalDraft } from '../domain/draft.js';
import type { EvidenceBundle } from '../domain/evidence.js';
import type { HistoryEntry } from '../domain/history.js';
import type { Run } from '../domain/run.js';
import { about, type Doc, named, text } from '../domain/schema.js';
import type { PublishedIssue } from '../ports/publisher.js';
import { withSigner } from './draft/trailer.js';
import { ERASED } from './erase-person.js';
import { replay } from './evidence/replay.js';
import { sha256Hex } from './hash.js';
import type { PublishedText } from './issue.js';

const stepSchema = v.object({ name: v.string(), ok: v.boolean(), detail: v.string() });
/** One check of a published issue. */
export interface ProofStep extends Doc<typeof stepSchema> {}

export const proofSchema = named(
  'Proof',
  'The result of verifying a published issue.',
  v.object({
    run_id: v.string(),
    issue_url: v.string(),
    verified: about(v.boolean(), 'Every check passed.'),
    derived_digest: about(v.string(), 'Derived from the evidence alone.'),
    machine_digest: v.string(),
    signed_digest: v.string(),
    erased_at: about(
      v.exactOptional(v.string()),
      'When a person was last erased from the evidence, so that it no longer gives the draft; the other checks still hold. Absent: never.',
    ),
    edited: about(
      v.exactOptional(v.object({ at: v.string(), by: text })),
      'Who changed the title or the text on the code host last, where it says so.',
    ),
    steps: v.array(stepSchema),
  }),
);
/** The checks from the evidence to the issue on the code host. */
export interface PublicationProof extends Doc<typeof proofSchema> {}

export interface PublicationParts extends PublishedText {
  readonly run: Run;
  readonly evidence: EvidenceBundle;
  readonly history: readonly HistoryEntry[];
}

/** Derives the issue again and compares it, byte for byte, with the code host's. */
export async function verifyPublication(parts: PublicationParts): Promise<PublicationProof> {
  const { run, evidence } = parts;
  const signed = run.publication?.digest ?? '';
  const derived = await replay(evidence).then(
    ({ draft }) => draft.digest,
    () => '',
  );
  const erasedAt = derived === evidence.draft.digest ? undefined : erasedFromEvidence(parts);
  const steps = [
    evidenceStep(derived, evidence, erasedAt),
    editsStep(parts, signed),
    signatureStep(parts, signed),
    ...issueSteps(parts),
  ];
  return {
    run_id: run.run_id,
    issue_url: run.publication?.issue_url ?? '',
    verified: steps.every(({ ok }) => ok),
    derived_digest: derived,
    machine_digest: evidence.draft.digest,
    signed_digest: signed,
    ...(erasedAt === undefined ? {} : { erased_at: erasedAt }),
    steps,
  };
}

/** Entries after which the draft is what the evidence gives. */
const DERIVED: ReadonlySet<string> = new Set(['analysis.done', 'investigation.done', 'suspects.choose']);

/** When a person was erased from the evidence of the latest analysis. The history's seals prove that entry. */
function erasedFromEvidence({ history }: PublicationParts): string | undefined {
  const start = history.findLastIndex(({ name }) => DERIVED.has(name));
  return history
    .slice(start + 1)
    .findLast(({ name, detail }) => name === 'person.erased' && Number(detail.evidence) > 0)?.at;
}

function evidenceStep(
  derived: string,
  { draft, versions }: EvidenceBundle,
  erasedAt: string | undefined,
): ProofStep {
  const name = 'evidence';
  if (derived === draft.digest)
    return { name, ok: true, detail: 'the evidence reproduces the generated draft' };
  if (erasedAt !== undefined) {
    const detail = `a person was erased from it on ${erasedAt.slice(0, 10)}, so it no longer gives the draft`;
    return { name, ok: true, detail };
  }
  const made = Object.entries(versions).map(([part, version]) => `${part} ${version}`);
  const what =
    derived === '' ? 'cannot be read by this version' : 'gives a different draft with this version';
  return { name, ok: false, detail: `the evidence ${what}; it was created by ${made.join(', ')}` };
}

/** Each edit must start from the previous digest, and the last must yield the signed one. */
function editsStep({ evidence, history }: PublicationParts, signed: string): ProofStep {
  const start = history.findLastIndex(({ name }) => DERIVED.has(name));
  const edits = history.slice(start + 1).filter(({ name }) => name === 'draft.edit');
  let digestSoFar = evidence.draft.digest;
  for (const { digest, detail, by } of edits) {
    if (detail.before !== digestSoFar)
      return { name: 'edits', ok: false, detail: `an edit by ${by ?? ERASED} starts from an unknown draft` };
    digestSoFar = digest ?? '';
  }
  const ok = digestSoFar === signed;
  const names = [...new Set(edits.map(({ by }) => by ?? ERASED))].join(', ');
  const count = edits.length === 1 ? 'one edit' : `${edits.length} edits`;
  const chain = edits.length === 0 ? 'the generated draft was not edited' : `${count} by ${names}`;
  return { name: 'edits', ok, detail: ok ? chain : `${chain}, but the result is not the signed draft` };
}

function signatureStep({ run, history, signer }: PublicationParts, signed: string): ProofStep {
  const name = 'signature';
  const entry = history.findLast((one) => one.name === 'gate2.approve');
  const stored = run.draft === null ? '' : sha256Hex(canonicalDraft(run.draft));
  if (entry?.detail.signed !== signed)
    return { name, ok: false, detail: 'no Gate 2 decision signed this digest' };
  if (stored !== signed) return { name, ok: false, detail: 'the stored draft is not the signed one' };
  if (signer !== null && entry.by !== null && signer !== entry.by)
    return { name, ok: false, detail: `signed by ${entry.by}, but the issue was to name ${signer}` };
  const bound = entry.detail.bound === true ? 'bound to the digest' : 'unbound';
  return { name, ok: true, detail: `signed by ${entry.by ?? ERASED} through ${entry.via}, ${bound}` };
}

/** How the title or the text on the code host differs from what was signed; `null`: not at all. */
export function changedText(parts: ComparedText): string | null {
  const different = issueSteps(parts).find(({ name, ok }) => !ok && name !== 'labels');
  return different === undefined ? null : `${different.name}: ${different.detail}`;
}

type ComparedText = PublishedText & Pick<PublicationParts, 'history'>;

function issueSteps(parts: ComparedText): readonly ProofStep[] {
  const { expected, issue } = parts;
  const what = expected.reopens === undefined ? 'issue' : 'comment';
  if (issue === null)
    return [{ name: 'body', ok: false, detail: `the ${what} no longer exists on the code host` }];
  if (expected.reopens !== undefined) return [bodyStep(parts, issue)];
  // Code hosts compare labels without case, and show the name that the label already had.
  const without = (labels: readonly string[], known: readonly string[]) =>
    labels.filter((label) => !known.some((one) => one.toLowerCase() === label.toLowerCase()));
  const missing = without(expected.labels, issue.labels);
  const more = without(issue.labels, expected.labels);
  const labels = [
    ...missing.map((label) => `"${label}" was removed`),
    ...more.map((label) => `"${label}" was added`),
  ];
  return [
    textStep('title', expected.title, issue.title),
    bodyStep(parts, issue),
    { name: 'labels', ok: labels.length === 0, detail: labels.join(', ') || 'unchanged' },
  ];
}

/** An erased name is not known here any more; everything else is compared. */
function bodyStep({ expected, signer, history }: ComparedText, issue: PublishedIssue): ProofStep {
  if (signer !== ERASED) return textStep('body', expected.body, issue.body);
  const step = textStep('body', expected.body, withSigner(issue.body, ERASED));
  const at = history.findLast(({ name }) => name === 'person.erased')?.at ?? '';
  const why = `the signer’s name was erased here on ${at.slice(0, 10)} and is not compared`;
  return { ...step, detail: `${step.detail}; ${why}` };
}

function textStep(name: string, expected: string, found: string): ProofStep {
  const bytes = new TextEncoder().encode(expected).length;
  if (expected === found) return { name, ok: true, detail: `${bytes} bytes, identical` };
  const wanted = expected.split('\n');
  const line = found.split('\n').findIndex((text, index) => text !== wanted[index]);
  const where =
    line === -1
      ? `it ends after line ${found.split('\n').length}`
      : `line ${line + 1} is the first that differs`;
  return { name, ok: false, detail: `changed on the code host: ${where}` };
}
