import { codeSpan } from '../draft/safe-markdown.js';
import { reasonShapes } from '../rank/reason-wording.js';

/** A piece of a sentence: words of ours, or a quotation from outside. */
export interface Segment {
  readonly kind: 'words' | 'code';
  readonly text: string;
}

const SUBJECTS = [
  '{} was raised',
  '{} was {} when its {} was read',
  '{} was {} when its {} was set',
  '{} was {} when {} was called on it',
  'An error was raised',
  'The crash happened',
] as const;
const PLACES = [
  ' in {}, at {}, on the line {}.',
  ' in {}, at {}.',
  ' at {}, on the line {}.',
  ' at {}.',
  '; the stack leads to no line of the repository.',
] as const;
/** What another exception of the chain is to the one that is followed. */
const RELATIONS = [
  'Its cause was {}',
  'Its first cause was {}',
  'The group holds {}',
  'It was reported as {}',
] as const;
const RAISED = ['.', ', raised in {}, at {}.', ', raised at {}.'] as const;

/** What well-known errors mean in plain words. */
export const MEANINGS = {
  missingObject: 'A value that the code takes for an object was missing when the line ran.',
  noFunction: 'What is called there was no function when the line ran.',
  undefinedName: 'A name is used that nothing defines where the line ran.',
  missingKey: 'A key was looked up that is not there.',
  outOfRange: 'An index lay outside of what it points into.',
  wrongType: 'A value was of another type than the code asks for.',
  noNumber: 'A text was taken for a number and is none.',
  badJson: 'A text was taken for JSON and is none.',
  divisionByZero: 'Something was divided by zero.',
  tooDeep: 'Calls nested until the stack was full; it is often a recursion without an end.',
  outOfMemory: 'The memory was full.',
  noFile: 'A file or directory was not there; the machine is perhaps at fault and not the code.',
  notPermitted: 'The operating system refused access; the machine is perhaps at fault and not the code.',
  diskFull: 'The disk was full; the machine is at fault and not the code.',
  addressInUse:
    'Another process holds the address already; the machine is perhaps at fault and not the code.',
  noAnswer: 'Another service did not answer; the code is perhaps not at fault.',
  badMemory: 'The program touched memory that is not its own; a pointer was null or stale.',
} as const;

/**
 * Every sentence that an explanation without a model may say in plain words. `{}` stands for a code span, `#` for a number.
 * What is not here is shown wholly as code, whoever said it.
 */
export const PHRASES: ReadonlySet<string> = new Set([
  ...SUBJECTS.flatMap((subject) => PLACES.map((place) => subject + place)),
  'The very likely cause is commit {}: {}.',
  'The likely cause is commit {}: {}.',
  'No commit stands out; the first in the list is {}: {}.',
  ...reasonShapes().map((reason) => `It ${reason}.`),
  ...RELATIONS.flatMap((relation) => RAISED.map((where) => relation + where)),
  'Line # sets it: {}.',
  'It added the crashed line.',
  'It wrote the crashed line; before, that was {}.',
  'Beside the crashed line it changed {} to {}.',
  'Beside the crashed line it added {}.',
  'Beside the crashed line it removed {}.',
  'The crashed line itself came with commit {}: {}.',
  'The error names {}, and the change touches it.',
  ...Object.values(MEANINGS),
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
