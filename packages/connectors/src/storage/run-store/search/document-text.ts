import type { RunState } from '@culprit/core';
import type { SearchDocument, SearchField, SearchLine } from '@culprit/core/internal/domain/search/document';
import {
  matchesSearch,
  type PreparedDocument,
  prepareDocument,
} from '@culprit/core/internal/domain/search/match-search';
import type { SearchTerm } from '@culprit/core/internal/domain/search/parse-search';
import { boundedMap } from '@culprit/core/internal/resilience/bounded-map';

/** The run id, then one line for each text: its field, a tab, the text. */
export function textOfDocument({ run_id, lines }: SearchDocument): string {
  return [run_id, ...lines.map(([field, text]) => `${field}\t${text}`)].join('\n');
}

export function documentOfText(text: string): SearchDocument {
  const [run_id = '', ...rest] = text.split('\n');
  const lines = rest.map((line): SearchLine => {
    const tab = line.indexOf('\t');
    return [line.slice(0, tab) as SearchField, line.slice(tab + 1)];
  });
  return { run_id, lines };
}

/** Without reading the rest. */
export function runIdOfText(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}

/** Documents outside sealed blocks are compared with every search. */
const prepared = boundedMap<string, PreparedDocument>(2_048);

export function preparedOfText(text: string): PreparedDocument {
  const known = prepared.get(text);
  if (known !== undefined) return known;
  const made = prepareDocument(documentOfText(text));
  prepared.set(text, made);
  return made;
}

/** Whether the run matches all terms and has one of the states. */
export function matchesPrepared(
  document: PreparedDocument,
  terms: readonly SearchTerm[],
  states: readonly RunState[],
): boolean {
  const [, state] = document.lines.find(([field]) => field === 'state') ?? [];
  if (states.length > 0 && !states.some((one) => one === state)) return false;
  return matchesSearch(document, terms);
}
