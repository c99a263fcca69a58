import type { Event } from '../event.js';
import type { RunSummary } from '../run.js';
import { isValueField, type Qualifier, type ValueField } from './qualifiers.js';
import { wordsOf } from './words.js';

/** A field that a search reads; `hash` is the fingerprint's and has no qualifier. */
export type SearchField = Qualifier | 'hash';
/** One text of a run that a search reads. */
export type SearchLine = readonly [field: SearchField, text: string];

/** What a search reads of a run: bounded, the most important lines first. */
export interface SearchDocument {
  readonly run_id: string;
  readonly lines: readonly SearchLine[];
}

/** Most words of one run that a search finds. */
const DOCUMENT_WORDS = 80;
const MAX = { text: 200, message: 400, tag: 80, frames: 12, exceptions: 5, tags: 16, releases: 20 } as const;

/** The order in which the lines of a document compete for its words. */
const ORDER: readonly SearchField[] = [
  ...(['hash', 'title', 'type', 'function', 'file', 'message', 'sha', 'author'] as const),
  ...(['project', 'platform', 'env', 'release', 'tag', 'state', 'level'] as const),
];

/** A document of these lines, the most important first. */
export function searchDocument(run_id: string, all: readonly SearchLine[]): SearchDocument {
  const places = new Map(ORDER.map((field, at) => [field, at]));
  const placeOf = ([field]: SearchLine) => places.get(field) ?? ORDER.length;
  return { run_id, lines: [...all].sort((a, b) => placeOf(a) - placeOf(b)) };
}

/** The lines of a run that change with it. */
export function runLines(run: RunSummary): readonly SearchLine[] {
  return lines([
    ['hash', [run.fingerprint.hash]],
    ['title', [run.title]],
    ['state', [run.state]],
    ['level', [run.level]],
    ['project', [run.project]],
    ['env', run.environments.slice(-MAX.releases).reverse()],
    ['release', run.releases.slice(-MAX.releases).reverse()],
    ['platform', [run.platform]],
    ['sha', run.suspects.map(({ sha }) => sha)],
    ['author', run.suspects.map(({ author }) => author?.name ?? '')],
  ]);
}

/** The lines of the crash that a run shows. */
export function eventLines(event: Pick<Event, 'exceptions' | 'message' | 'tags'>): readonly SearchLine[] {
  const exceptions = event.exceptions.slice(-MAX.exceptions).reverse();
  const all = exceptions.flatMap(({ frames }) => [...frames].reverse());
  const own = all.filter(({ in_app }) => in_app === true);
  const frames = (own.length > 0 ? own : all).slice(0, MAX.frames);
  const message = event.message ?? exceptions.map(({ value }) => value ?? '').join(' ');
  return lines([
    ['type', exceptions.map(({ type }) => type ?? '')],
    ['function', frames.map((frame) => frame.function ?? '')],
    ['file', frames.map(({ file }) => file?.slice(-MAX.text) ?? '')],
    ['message', [message]],
    [
      'tag',
      Object.entries(event.tags)
        .slice(0, MAX.tags)
        .map(([name, value]) => `${name}=${value}`),
    ],
  ]);
}

function lines(all: readonly (readonly [SearchField, readonly string[]])[]): readonly SearchLine[] {
  return all.flatMap(([field, texts]) => {
    const most = field === 'message' ? MAX.message : field === 'tag' ? MAX.tag : MAX.text;
    const clean = texts.map((text) =>
      text
        .slice(0, 2 * most)
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, most),
    );
    return [...new Set(clean.filter(Boolean))].map((text): SearchLine => [field, text]);
  });
}

/** The fields whose words a search without a qualifier does not find, because they would match almost every run. */
const WITHOUT_WORDS: readonly SearchField[] = ['state', 'level'];

/** The words by which a search finds the run, each once. */
export function documentWords({ lines: all }: SearchDocument): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [field, text] of all) {
    if (WITHOUT_WORDS.includes(field)) continue;
    for (const word of wordsOf(text)) {
      if (words.size >= DOCUMENT_WORDS) return words;
      words.add(word);
    }
  }
  return words;
}

/** The values by which a qualifier finds the run, lower-case. A release without its package is one, too: `1.2.0` of `shop@1.2.0`. */
export function documentValues({ lines: all }: SearchDocument): readonly (readonly [ValueField, string])[] {
  return all.flatMap(([field, text]) => {
    if (field === 'hash' || !isValueField(field)) return [];
    const value = text.toLowerCase();
    const version = field === 'release' ? value.slice(value.lastIndexOf('@') + 1) : value;
    return version === value || version === ''
      ? [[field, value] as const]
      : ([
          [field, value],
          [field, version],
        ] as const);
  });
}
