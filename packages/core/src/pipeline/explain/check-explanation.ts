import type { Citation, Claim, EvidenceItem, Explanation } from '../../domain/explanation.js';
import { CulpritError } from '../../errors/error.js';
import { oneLine } from '../draft/visible.js';
import { scrubText as standard, type TextScrubber } from '../scrub-text.js';

const MAX_CLAIMS = 8;
const MAX_CITES = 4;
const CLAIM_CHARS = 400;
const QUOTE_CHARS = 80;
/** Shorter quotes are in any evidence, so they prove nothing. A value, `'chf'`, and a whole line may be shorter. */
const MIN_QUOTE_CHARS = 6;

/**
 * Validates an explainer's response. Keeps the claims with at least one quote that appears verbatim in the evidence and is
 * long enough to prove something, with their text cleaned and bounded. Throws `explainer_failed` if the response is not an explanation or no claim remains.
 */
export function checkExplanation(
  answer: unknown,
  evidence: readonly EvidenceItem[],
  scrub: TextScrubber = standard,
): Explanation {
  if (!isObject(answer) || !Array.isArray(answer.claims)) refuse('the response is not an explanation');
  const texts = new Map(evidence.map(({ id, text }) => [id, text]));
  const received: readonly unknown[] = answer.claims;
  const claims = received.slice(0, MAX_CLAIMS).flatMap((claim) => checkedClaim(claim, texts, scrub) ?? []);
  if (received.length > 0 && claims.length === 0) refuse('none of its quotes appear in the evidence');
  const { source, model, note } = answer;
  const dropped = received.length - claims.length;
  const tooShort = received.some((claim) => citesOf(claim).some((cite) => faultOf(cite, texts) === 'short'));
  const limits =
    dropped > 0
      ? `Removed ${dropped} of ${received.length} claims because their quotes are not in the evidence${tooShort ? ' or are too short' : ''}.`
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

function checkedClaim(claim: unknown, texts: ReadonlyMap<string, string>, scrub: TextScrubber): Claim | null {
  if (!isObject(claim) || typeof claim.text !== 'string') return null;
  const cites = citesOf(claim).flatMap((cite) =>
    faultOf(cite, texts) === null ? { evidence: cite.evidence, quote: cite.quote } : [],
  );
  const text = oneLine(scrub(claim.text), CLAIM_CHARS);
  return cites.length === 0 || text === '' ? null : { text, cites: cites.slice(0, MAX_CITES) };
}

function citesOf(claim: unknown): readonly Citation[] {
  if (!isObject(claim) || !Array.isArray(claim.cites)) return [];
  return claim.cites.filter(
    (cite): cite is Citation =>
      isObject(cite) && typeof cite.evidence === 'string' && typeof cite.quote === 'string',
  );
}

function faultOf(
  { evidence, quote }: Citation,
  texts: ReadonlyMap<string, string>,
): 'absent' | 'short' | null {
  const text = texts.get(evidence);
  if (quote.trim() === '' || quote.length > QUOTE_CHARS || !text?.includes(quote)) return 'absent';
  return isTelling(quote, text) ? null : 'short';
}

/** What precedes the code in a line of a diff or of the source. */
const LINE_MARK = /^(?:\d{1,7}: |[+-])?\s*/;

/** Six characters with a word in them, a word of at least three that is not cut, or a line that is not only brackets. */
function isTelling(quote: string, text: string): boolean {
  const said = quote.trim();
  if (said.length >= MIN_QUOTE_CHARS && /[\p{L}\p{N}]{2}/u.test(said)) return true;
  const at = text.indexOf(said);
  const around = `${text[at - 1] ?? ' '}${text[at + said.length] ?? ' '}`;
  if (/^[^\p{L}\p{N}]?\p{L}[\p{L}\p{N}]{2,}[^\p{L}\p{N}]?$/u.test(said) && !/[\p{L}\p{N}_]/u.test(around))
    return true;
  const isLine = text
    .split('\n')
    .some((line) => line.trim() === said || line.replace(LINE_MARK, '').trim() === said);
  return isLine && /[\p{L}\p{N}]/u.test(said);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(what: string): never {
  throw new CulpritError('explainer_failed', what);
}
