import type { RunState } from '../../domain/run.js';
import {
  documentValues,
  documentWords,
  type SearchDocument,
  type SearchField,
  type SearchLine,
} from '../../domain/search/document.js';
import { matchesSearch, type PreparedDocument, prepareDocument } from '../../domain/search/match-search.js';
import type { SearchTerm } from '../../domain/search/parse-search.js';
import type { ValueField } from '../../domain/search/qualifiers.js';
import { boundedMap } from '../../resilience/bounded-map.js';

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

/** One term of a document in the index. Terms of a bucket are read together. */
export type Entry = readonly [bucket: string, term: string];

/** The terms of a document: its words, its values and its id. Each once. */
export function entriesOf(document: SearchDocument): readonly Entry[] {
  const words = [...documentWords(document)].map((word): Entry => [bucketOfWord(word), word]);
  const values = documentValues(document).map(
    ([field, value]): Entry => [bucketOfValue(field, value), value],
  );
  const id = document.run_id.toLowerCase();
  return [...words, ...values, [bucketOfId(id), id]];
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Words with the same first two characters share a bucket. A word of one character has its own. */
export function bucketOfWord(word: string): string {
  return `w-${keyChar(word, 0)}${word.length === 1 ? '' : keyChar(word, 1)}`;
}

/** The values of a qualifier share a bucket; tags are many, so theirs begin with the same character. */
export function bucketOfValue(field: ValueField, beginning: string): string {
  return field === 'tag' ? `tag-${keyChar(beginning, 0)}` : field;
}

/** Of the bucket of all tags. */
export function bucketsOfField(field: ValueField): readonly string[] {
  return field === 'tag' ? [...ALPHABET].map((char) => `tag-${char}`) : [field];
}

/** Ids begin alike, so they are spread by their end. */
export function bucketOfId(id: string): string {
  return `id-${keyChar(id, id.length - 1)}${keyChar(id, id.length - 2)}`;
}

/** Keys are ASCII. Other characters share the buckets of these. */
function keyChar(text: string, at: number): string {
  const char = text[at] ?? '0';
  return ALPHABET.includes(char) ? char : (ALPHABET[char.charCodeAt(0) % ALPHABET.length] ?? '0');
}
