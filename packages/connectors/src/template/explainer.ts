import {
  type Claim,
  type EvidenceItem,
  EXCEPTION_LABELS,
  type Explainer,
  type ExplainRequest,
  sentence,
} from '@culprit/core';
import { changeClaims } from './change.js';
import { type Cited, citing } from './citing.js';
import { knownError } from './known-errors.js';
import { missingValue } from './missing-value.js';

/**
 * States what the evidence shows: what failed where and on which value, the causes, and the suspected change. It uses only
 * core's `PHRASES`; everything else is in code spans.
 */
export const templateExplainer: Explainer = {
  name: 'template',
  explain: async (request) => {
    const cite = citing(request.evidence);
    const failed = failure(request, cite);
    const meaning = failed.isGeneric ? knownError(request, cite) : null;
    const further = [...chain(request, cite), ...(meaning ?? []), ...changeClaims(request, cite)];
    const known = further.length > 0 || cite.frames.length > 0;
    const claims = known ? [...failed.claims, ...further] : [];
    return { source: 'template', model: null, claims, insufficient: claims.length === 0, note: null };
  },
};

interface Failure {
  readonly claims: readonly Claim[];
  /** True if no missing value was identified. */
  readonly isGeneric: boolean;
}

/** What was raised where; for a missing value also its name and the line that sets it. */
function failure({ evidence }: ExplainRequest, cite: Cited): Failure {
  const thrown = cite.thrown;
  const frame = cite.frames[0];
  const what = thrown && cite.line(thrown.id, 0);
  const where = frame && cite.line(frame.id, 0);
  const source = frame && cite.line(frame.id, 1);
  const cites = [what, where, source].flatMap((citation) => citation ?? []);
  if (cites.length === 0) return { claims: [], isGeneric: true };
  const code = frame?.text.split('\n')[1] ?? '';
  const missing = thrown && source ? missingValue(thrown.text, code) : null;
  const isShown = evidence.some(({ id }) => id === 'source');
  const line = isShown ? undefined : source?.quote;
  if (missing === null) {
    const subject = what ? raised(what.quote) : 'The crash happened';
    return { claims: [{ text: subject + place(frame?.text, line), cites }], isGeneric: true };
  }
  const { value, state, member } = missing;
  const subject = {
    read: sentence`${value} was ${state} when ${member} was read from it`,
    set: sentence`${value} was ${state} when ${member} was set on it`,
    called: sentence`${value} was ${state} when ${member} was called on it`,
  }[missing.how];
  const origin = cite.assignment(value);
  const set =
    origin === null ? '' : ` ${sentence`It is set on line ${origin.number}: ${origin.citation.quote}.`}`;
  const text = subject + place(frame?.text, line) + set;
  return { claims: [{ text, cites: origin ? [...cites, origin.citation] : cites }], isGeneric: false };
}

/** Names the error by its type: `TypeError` of `TypeError: …`. */
function raised(error: string): string {
  const kind = /^[\w.$\\]{1,80}(?=:|$)/.exec(error)?.[0];
  return kind === undefined ? 'An error was raised' : sentence`${kind} was raised`;
}

function place(frame: string | undefined, source: string | undefined): string {
  const where = frame?.split('\n')[0];
  if (where === undefined) return '. No frame in the stack trace maps to a file in the repository.';
  const spot = spotOf(where);
  return source === undefined ? `${spot}.` : spot + sentence`: ${source}.`;
}

function spotOf(where: string): string {
  const [, at = where, name] = /^(.*:\d+|\S+) in (.+)$/.exec(where) ?? [];
  return name === undefined ? sentence` at ${at}` : sentence` in ${name} at ${at}`;
}

const MOST_MEMBERS = 3;

/** The root cause of a chain, the members of a group, and the outermost wrapper. */
function chain({ evidence }: ExplainRequest, cite: Cited): readonly Claim[] {
  const of = (label: string) => evidence.filter((item) => item.label === label);
  const causes = of(EXCEPTION_LABELS.cause);
  const said = (item: EvidenceItem | undefined, word: (quote: string) => string): readonly Claim[] => {
    const quoted = item && cite.line(item.id, 0);
    if (!item || !quoted) return [];
    const [what = '', where] = item.text.split('\n');
    const spot = where === undefined ? '' : `, raised${spotOf(where)}`;
    const at = where === undefined ? null : cite.line(item.id, 1);
    return [{ text: `${word(what)}${spot}.`, cites: at ? [quoted, at] : [quoted] }];
  };
  return [
    ...said(causes[0], (quote) =>
      causes.length > 1 ? sentence`The root cause was ${quote}` : sentence`Its cause was ${quote}`,
    ),
    ...of(EXCEPTION_LABELS.member)
      .slice(0, MOST_MEMBERS)
      .flatMap((item) => said(item, (quote) => sentence`The group contains ${quote}`)),
    ...said(of(EXCEPTION_LABELS.wrapper).at(-1), (quote) => sentence`It was reported as ${quote}`),
  ];
}
