import { documentValues, documentWords, type SearchDocument } from './document.js';
import type { SearchTerm } from './parse-search.js';
import { isValueField } from './qualifiers.js';
import { searchedWords, wordsOf } from './words.js';

/** A document that is compared with terms, perhaps often. */
export interface PreparedDocument extends SearchDocument {
  /** Each word between line breaks, so that one search in the text finds the beginning of a word. */
  readonly words: string;
  readonly values: ReturnType<typeof documentValues>;
}

/** Prepares a document for {@link matchesSearch}. */
export function prepareDocument(document: SearchDocument): PreparedDocument {
  const words = `\n${[...documentWords(document)].join('\n')}\n`;
  return { ...document, words, values: documentValues(document) };
}

/** Whether the run matches all terms. This is what a search means; an index only answers faster. */
export function matchesSearch(document: PreparedDocument, terms: readonly SearchTerm[]): boolean {
  return terms.every((term) => matchesWords(document, term) && matchesLines(document, term));
}

/** What an index decides: the values, and the words wherever they are. A word of one character must be whole. */
function matchesWords(document: PreparedDocument, { field, text, exact }: SearchTerm): boolean {
  if (field !== null && isValueField(field)) {
    return document.values.some(
      ([own, value]) => own === field && (exact ? value === text : value.startsWith(text)),
    );
  }
  if (field === null && document.run_id.toLowerCase() === text) return true;
  return searchedWords(text).every((word) =>
    document.words.includes(word.length === 1 ? `\n${word}\n` : `\n${word}`),
  );
}

/** The rest: whether the words are in the field, and in this order. True for terms that the words alone decide. */
export function matchesLines({ run_id, lines }: SearchDocument, term: SearchTerm): boolean {
  const { field, text, exact } = term;
  if (decidedByWords(term) || (field === null && run_id.toLowerCase() === text)) return true;
  const [word, ...others] = searchedWords(text);
  // A word of the field may begin with the text; anything longer must occur as it is.
  const begins = !exact && others.length === 0 && word === text;
  return lines.some(([own, line]) => {
    if (field !== null && own !== field) return false;
    return begins ? wordsOf(line).some((one) => one.startsWith(text)) : line.toLowerCase().includes(text);
  });
}

/** True if values and words decide the term, without the lines. */
export function decidedByWords({ field, text, exact }: SearchTerm): boolean {
  if (field !== null) return isValueField(field);
  const words = searchedWords(text);
  return !exact && words.length === 1 && words[0] === text;
}
