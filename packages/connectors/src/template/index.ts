import {
  type Claim,
  defineConnector,
  type EvidenceItem,
  type Explainer,
  type ExplainRequest,
} from '@culprit/core/connector';
import { type EvidenceLocation, EXCEPTION_LABELS } from '@culprit/core/internal/domain/explanation';
import { sentence } from '@culprit/core/internal/pipeline/explain/phrases';
import * as v from 'valibot';
import { changeClaims } from './change.js';
import { knownError, missingValue } from './known-errors.js';
import { type Quotes, quotesFrom } from './quotes.js';

const connector = defineConnector({
  id: 'template',
  config: v.strictObject({}),
  setup: () => ({
    explainer: templateExplainer,
    check: async () => [
      {
        name: 'template',
        ok: true,
        detail: 'Explanations are written from the evidence by fixed rules, without a model.',
      },
    ],
  }),
});

/** Deterministic explanations from the evidence. The default, and the fallback of a model. */
export const template = (config: Record<string, never> = {}) => connector(config);

/**
 * States what the evidence shows: what failed where and on which value, the causes, and the suspected change. It uses only
 * core's `PHRASES`; everything else is in code spans.
 */
export const templateExplainer: Explainer = {
  name: 'template',
  explain: async (request) => {
    const quotes = quotesFrom(request.evidence);
    const failed = failure(request, quotes);
    const meaning = failed.isGeneric ? knownError(request, quotes) : null;
    const further = [...chain(request, quotes), ...(meaning ?? []), ...changeClaims(request, quotes)];
    const known = further.length > 0 || quotes.frames.length > 0;
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
function failure({ evidence }: ExplainRequest, quotes: Quotes): Failure {
  const thrown = quotes.thrown;
  const frame = quotes.frames[0];
  const what = thrown && quotes.line(thrown.id, 0);
  const where = frame && quotes.line(frame.id, 0);
  const source = frame && quotes.line(frame.id, 1);
  const cites = [what, where, source].flatMap((citation) => citation ?? []);
  if (cites.length === 0) return { claims: [], isGeneric: true };
  const code = frame?.text.split('\n')[1] ?? '';
  const missing = thrown && source ? missingValue(thrown.text, code) : null;
  const isShown = evidence.some(({ id }) => id === 'source');
  const line = isShown ? undefined : source?.quote;
  if (missing === null) {
    const subject = what ? raised(what.quote) : 'The crash happened';
    return { claims: [{ text: subject + place(frame, line), cites }], isGeneric: true };
  }
  const { value, state, member } = missing;
  const subject = {
    read: sentence`${value} was ${state} when ${member} was read from it`,
    set: sentence`${value} was ${state} when ${member} was set on it`,
    called: sentence`${value} was ${state} when ${member} was called on it`,
  }[missing.how];
  const origin = quotes.assignment(value);
  const set =
    origin === null ? '' : ` ${sentence`It is set on line ${origin.number}: ${origin.citation.quote}.`}`;
  const text = subject + place(frame, line) + set;
  return { claims: [{ text, cites: origin ? [...cites, origin.citation] : cites }], isGeneric: false };
}

/** Names the error by its type: `TypeError` of `TypeError: …`. */
function raised(error: string): string {
  const kind = /^[\w.$\\]{1,80}(?=:|$)/.exec(error)?.[0];
  return kind === undefined ? 'An error was raised' : sentence`${kind} was raised`;
}

function place(frame: EvidenceItem | undefined, source: string | undefined): string {
  if (!frame?.location) return '.';
  const location = locationText(frame.location);
  return source === undefined ? `${location}.` : location + sentence`: ${source}.`;
}

function locationText({ place, function: name }: EvidenceLocation): string {
  return name === null ? sentence` at ${place}` : sentence` in ${name} at ${place}`;
}

const MAX_MEMBERS = 3;

/** The root cause of a chain, the members of a group, and the outermost wrapper. */
function chain({ evidence }: ExplainRequest, quotes: Quotes): readonly Claim[] {
  const of = (label: string) => evidence.filter((item) => item.label === label);
  const causes = of(EXCEPTION_LABELS.cause);
  const claim = (item: EvidenceItem | undefined, relation: (error: string) => string): readonly Claim[] => {
    const error = item && quotes.line(item.id, 0);
    if (!item || !error) return [];
    const place = item.location ? `, raised${locationText(item.location)}` : '';
    const at = item.location ? quotes.line(item.id, 1) : null;
    const text = `${relation(item.text.split('\n')[0] ?? '')}${place}.`;
    return [{ text, cites: at ? [error, at] : [error] }];
  };
  return [
    ...claim(causes[0], (error) =>
      causes.length > 1 ? sentence`The root cause was ${error}` : sentence`Its cause was ${error}`,
    ),
    ...of(EXCEPTION_LABELS.member)
      .slice(0, MAX_MEMBERS)
      .flatMap((item) => claim(item, (error) => sentence`The group contains ${error}`)),
    ...claim(of(EXCEPTION_LABELS.wrapper).at(-1), (error) => sentence`It was reported as ${error}`),
  ];
}
