import type { JsonObject } from '../../domain/json.js';
import type { Explainer } from '../../ports/explainer.js';
import type { StepRunner } from '../analysis-steps.js';
import { oneLine } from '../draft/visible.js';
import { type TimeParts, withinTime } from '../within-time.js';
import type { Shown } from './reading-request.js';
import type { RankedCandidate } from './types.js';

/** The model's second opinion on the first suspects. */
export interface ReadingParts extends TimeParts {
  readonly read: NonNullable<Explainer['read']>;
  readonly step: StepRunner;
}

const MOST_CHOICES = 3;
const QUOTE_CHARS = { least: 6, most: 160 } as const;
/** Suspects whose order without the reader is recorded. */
const RECORDED = 8;

/** The choices whose quote is in a line that the commit changed, by SHA and best first; the others are only counted. */
export function checkReading(
  answer: unknown,
  candidates: Shown['candidates'],
): { readonly quotes: ReadonlyMap<string, string>; readonly dropped: number } {
  const choices: readonly unknown[] = isObject(answer) && Array.isArray(answer.choices) ? answer.choices : [];
  const quotes = new Map<string, string>();
  let dropped = Math.max(0, choices.length - MOST_CHOICES);
  for (const choice of choices.slice(0, MOST_CHOICES)) {
    const { commit, quote } = isObject(choice) ? choice : {};
    const named = typeof commit === 'string' ? candidates.get(commit) : undefined;
    const said = typeof quote === 'string' ? quote.trim() : '';
    const fits = said.length >= QUOTE_CHARS.least && said.length <= QUOTE_CHARS.most;
    if (fits && named?.changed.some((line) => line.includes(said))) {
      if (!quotes.has(named.sha)) quotes.set(named.sha, said);
    } else dropped++;
  }
  return { quotes, dropped };
}

/** The ranking with the verified choices first. Each keeps its probability, and its place without the reader. */
export function reordered(
  ranked: readonly RankedCandidate[],
  quotes: ReadonlyMap<string, string>,
): readonly RankedCandidate[] {
  const chosen = [...quotes].flatMap(([sha, quote]) => {
    const at = ranked.findIndex((one) => one.sha === sha);
    const found = ranked[at];
    return found === undefined ? [] : [{ ...found, reader: { quote, place: at + 1 } }];
  });
  return [...chosen, ...ranked.filter(({ sha }) => !quotes.has(sha))];
}

interface Asked {
  readonly ranked: readonly RankedCandidate[];
  readonly detail: JsonObject;
}

/** Asks the reader once if the order is uncertain. If it fails, the order stays. Rejects only if the signal is aborted. */
export async function readAgain(
  ranked: readonly RankedCandidate[],
  shown: Shown,
  { read, step, ...time }: ReadingParts,
): Promise<readonly RankedCandidate[]> {
  const before = ranked.slice(0, RECORDED).map(({ sha }) => sha);
  const asked = async (): Promise<Asked> => {
    try {
      const answer = await withinTime(time, (until) => read(shown.request, until));
      const { quotes, dropped } = checkReading(answer, shown.candidates);
      const after = reordered(ranked, quotes);
      const first = after[0]?.sha ?? null;
      return {
        ranked: after,
        detail: {
          model: oneLine(String(answer.model), 80),
          before,
          first,
          chosen: [...quotes.keys()],
          dropped,
        },
      };
    } catch (error) {
      time.signal.throwIfAborted();
      const why = error instanceof Error ? error.message : 'unknown error';
      return { ranked, detail: { before, failed: oneLine(why, 200) } };
    }
  };
  return (await step('read', asked, ({ detail }) => detail)).ranked;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
