import { codeSpan } from '../draft/safe-markdown.js';

/** A piece of a sentence: words of ours, or a quotation from outside. */
export interface Segment {
  readonly kind: 'words' | 'code';
  readonly text: string;
}

const SUBJECTS = ['{} was raised', 'An error was raised', 'The crash happened'] as const;
const PLACES = [
  ' in {}, at {}, on the line {}.',
  ' in {}, at {}.',
  ' at {}, on the line {}.',
  ' at {}.',
  '; the stack leads to no line of the repository.',
] as const;
const LINES = ['the crashed line', 'a line of the stack'] as const;

/**
 * Every sentence that an explanation without a model may say in plain words. `{}` stands for a code span, `#` for a number.
 * What is not here is shown wholly as code, whoever said it.
 */
export const PHRASES: ReadonlySet<string> = new Set([
  ...SUBJECTS.flatMap((subject) => PLACES.map((place) => subject + place)),
  'The very likely cause is commit {}: {}.',
  'The likely cause is commit {}: {}.',
  'No commit stands out; the first in the list is {}: {}.',
  ...LINES.flatMap((line) => [
    `It owns line # of {}, ${line}.`,
    `It wrote code # line from line # of {}, ${line}.`,
    `It wrote code # lines from line # of {}, ${line}.`,
  ]),
  'That commit added the line that crashed.',
  'That commit wrote the line that crashed.',
  'Before, the line was {}.',
  'The error names {}, and the change touches it.',
  'A value that the code takes for an object was missing when the line ran.',
  'What is called there was no function when the line ran.',
  'A name is used that nothing defines where the line ran.',
  'A value was None where the code needs an object.',
  'A key was looked up that the mapping did not hold.',
  'A reference was null where the code needs an object.',
  'An index lay outside of what it points into.',
  'Another service did not answer; the code is perhaps not at fault.',
  'It is no single case: it was counted # times.',
]);

/** A claim's text from words of ours and quotations: texts become code spans, numbers stay. */
export function sentence(words: TemplateStringsArray, ...quoted: readonly (string | number)[]): string {
  return words.reduce((text, word, index) => {
    const value = quoted[index - 1];
    return `${text}${typeof value === 'number' ? Math.trunc(value) : codeSpan(value ?? '', 160)}${word}`;
  });
}

/** The segments of a text all of whose words are {@link PHRASES}; `null` for any other text. */
export function segmentsOf(text: string): readonly Segment[] | null {
  const segments = split(text);
  if (segments === null) return null;
  const words = segments.flatMap((segment) => (segment.kind === 'words' ? segment.text : []));
  if (words.some((word) => /[{}#]/.test(word))) return null;
  const shape = segments.map((one) => (one.kind === 'code' ? '{}' : one.text.replace(/\d+/g, '#'))).join('');
  return areSentences(shape) ? segments : null;
}

/** CommonMark's rule: a run of backticks is closed by the next run of the same length. `null` where one stays open. */
function split(text: string): readonly Segment[] | null {
  const segments: Segment[] = [];
  const runs = [...text.matchAll(/`+/g)];
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at];
    const end = runs.findIndex((run, index) => index > at && run[0].length === open?.[0].length);
    const close = runs[end];
    if (!open || !close) return null;
    segments.push({ kind: 'words', text: text.slice(from, open.index) });
    const inside = text.slice(open.index + open[0].length, close.index);
    segments.push({ kind: 'code', text: unpadded(inside) });
    from = close.index + close[0].length;
    at = end;
  }
  segments.push({ kind: 'words', text: text.slice(from) });
  return segments.filter(({ kind, text: piece }) => kind === 'code' || piece !== '');
}

function unpadded(inside: string): string {
  return /^ .*[^ ].* $|^ [^ ] $/.test(inside) ? inside.slice(1, -1) : inside;
}

/** True where the shape is one or more sentences, a space between them. */
function areSentences(shape: string): boolean {
  for (let rest = shape; ; ) {
    const next = [...PHRASES].find(
      (phrase) => rest === phrase || (rest.startsWith(phrase) && rest[phrase.length] === ' '),
    );
    if (next === undefined) return false;
    if (rest === next) return true;
    rest = rest.slice(next.length + 1);
  }
}
