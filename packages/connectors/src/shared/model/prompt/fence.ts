import { hash } from 'node:crypto';

/** A word that none of the texts can contain, because it is derived from all of them. */
export function fenceWord(texts: unknown): string {
  return hash('sha256', JSON.stringify(texts)).slice(0, 16);
}

/** A piece of untrusted text, enclosed by lines with the word. `title` is the connector's own. */
export function fenced(word: string, title: string, text: string): string {
  return `BEGIN ${word} ${title}\n${text}\nEND ${word}`;
}

export function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
