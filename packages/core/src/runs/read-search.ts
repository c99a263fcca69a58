import { parseSearch, type SearchTerm, searchProblemText } from '../domain/search/parse-search.js';
import { CulpritError } from '../errors/error.js';

/** The terms of a search. Throws `malformed` for one that cannot be answered. */
export function readSearch(text: string): readonly SearchTerm[] {
  const parsed = parseSearch(text);
  if (!('problem' in parsed)) return parsed.terms;
  throw new CulpritError('malformed', searchProblemText(parsed.problem), { path: 'q' });
}
