import type { Run } from '@culprit/core';

type Likened = Pick<Run, 'run_id' | 'title' | 'place' | 'last_seen'>;

/** How much two runs look like one crash: 0 for nothing in common, at most 5. The place of the crash counts more than its title. */
export function likeness(run: Likened, other: Likened): number {
  const [a, b] = [run.place, other.place];
  const sameFile = a?.file != null && a.file === b?.file;
  const sameFunction = a?.function != null && a.function === b?.function;
  const place = sameFile && sameFunction ? 3 : sameFile ? 1.5 : sameFunction ? 1 : 0;
  return place + 2 * shareOfWords(run.title, other.title);
}

/** The likeliest first; of equally likely ones that with the latest crash. */
export function byLikeness<One extends Likened>(run: Likened, others: readonly One[]): readonly One[] {
  return others
    .map((other) => ({ other, like: likeness(run, other) }))
    .sort((x, y) => y.like - x.like || (x.other.last_seen < y.other.last_seen ? 1 : -1))
    .map(({ other }) => other);
}

/** Searches that find runs like this one: by its place, by the words before the colon of its title, and by the others. */
export function searchesFor({ title, place }: Pick<Run, 'title' | 'place'>): readonly string[] {
  const { function: name = null, file = null } = place ?? {};
  const [type = '', ...rest] = title.split(': ');
  const about = rest.join(' ').match(LONG_WORD)?.slice(0, 2) ?? [];
  return [
    ...(name === null ? [] : [`function:${quoted(name)}`]),
    ...(file === null ? [] : [`file:${quoted(file)}`]),
    ...(type === '' ? [] : [quoted(type)]),
    ...(about.length === 0 ? [] : [about.map(quoted).join(' ')]),
  ];
}
const LONG_WORD = /[\p{L}\p{N}_]{5,}/gu;
/** Characters of one term; core refuses longer searches. */
const TERM_CHARS = 80;

function quoted(text: string): string {
  return `"${text.slice(0, TERM_CHARS).replace(/["\\]/g, '\\$&')}"`;
}

function shareOfWords(a: string, b: string): number {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const both = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - both;
  return all === 0 ? 0 : both / all;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}
