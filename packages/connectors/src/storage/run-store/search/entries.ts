import {
  documentValues,
  documentWords,
  type SearchDocument,
} from '@culprit/core/internal/domain/search/document';
import type { ValueField } from '@culprit/core/internal/domain/search/qualifiers';

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
