import type { Citation, Claim, EvidenceItem, Explanation } from '../../domain/explanation.js';
import { CulpritError } from '../../errors/error.js';
import { oneLine } from '../draft/visible.js';
import { scrubText as standard, type TextScrubber } from '../scrub-text.js';

const MOST_CLAIMS = 8;
const MOST_CITES = 4;
const CLAIM_CHARS = 400;
const QUOTE_CHARS = 80;

/**
 * Validates an explainer's response. Keeps the claims with at least one quote that appears verbatim in the evidence, with
 * their text cleaned and bounded. Throws `explainer_failed` if the response is not an explanation or no claim remains.
 */
export function checkExplanation(
  answer: unknown,
  evidence: readonly EvidenceItem[],
  scrub: TextScrubber = standard,
): Explanation {
  if (!isObject(answer) || !Array.isArray(answer.claims)) refuse('the response is not an explanation');
  const texts = new Map(evidence.map(({ id, text }) => [id, text]));
  const received: readonly unknown[] = answer.claims;
  const claims = received.slice(0, MOST_CLAIMS).flatMap((claim) => checkedClaim(claim, texts, scrub) ?? []);
  if (received.length > 0 && claims.length === 0) refuse('none of its quotes appear in the evidence');
  const { source, model, note } = answer;
  const dropped = received.length - claims.length;
  const limits =
    dropped > 0
      ? `Removed ${dropped} of ${received.length} claims because their quotes are not in the evidence.`
      : null;
  const notes = [typeof note === 'string' && note !== '' ? oneLine(scrub(note), CLAIM_CHARS) : null, limits];
  return {
    source: source === 'model' ? 'model' : 'template',
    model: typeof model === 'string' ? oneLine(model, 80) : null,
    claims,
    insufficient: claims.length === 0,
    note: notes.filter((part) => part !== null).join(' ') || null,
  };
}

/** A claim of an answer that {@link checkExplanation} removes. */
export interface RefusedClaim {
  readonly text: string;
  /** Part of a sentence: `its quote is not in frame:0: "…"`. Contains the model's words. */
  readonly why: string;
}

/** The claims that {@link checkExplanation} removes from this answer. */
export function refusedClaims(
  { claims }: Pick<Explanation, 'claims'>,
  evidence: readonly EvidenceItem[],
  scrub: TextScrubber = standard,
): readonly RefusedClaim[] {
  const texts = new Map(evidence.map(({ id, text }) => [id, text]));
  return claims.flatMap((claim, index) => {
    if (index >= MOST_CLAIMS) return { text: claim.text, why: `only the first ${MOST_CLAIMS} claims count` };
    return checkedClaim(claim, texts, scrub) === null
      ? { text: claim.text, why: whyRefused(claim, texts) }
      : [];
  });
}

function whyRefused({ cites: [first] }: Claim, texts: ReadonlyMap<string, string>): string {
  if (first === undefined) return 'it cites nothing';
  const { evidence, quote } = first;
  if (!texts.has(evidence)) return `it cites ${JSON.stringify(evidence)}, which is no evidence of this run`;
  if (quote.length > QUOTE_CHARS) return `its quote has over ${QUOTE_CHARS} characters`;
  return checkedCite(first, texts) === null
    ? `its quote is not in ${evidence}: ${JSON.stringify(quote)}`
    : 'it says nothing';
}

function checkedClaim(claim: unknown, texts: ReadonlyMap<string, string>, scrub: TextScrubber): Claim | null {
  if (!isObject(claim) || typeof claim.text !== 'string' || !Array.isArray(claim.cites)) return null;
  const cites = claim.cites.flatMap((cite: unknown) => checkedCite(cite, texts) ?? []);
  const text = oneLine(scrub(claim.text), CLAIM_CHARS);
  return cites.length === 0 || text === '' ? null : { text, cites: cites.slice(0, MOST_CITES) };
}

function checkedCite(cite: unknown, texts: ReadonlyMap<string, string>): Citation | null {
  if (!isObject(cite)) return null;
  const { evidence, quote } = cite;
  if (typeof evidence !== 'string' || typeof quote !== 'string') return null;
  if (quote.trim() === '' || quote.length > QUOTE_CHARS) return null;
  return texts.get(evidence)?.includes(quote) ? { evidence, quote } : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(what: string): never {
  throw new CulpritError('explainer_failed', what);
}
