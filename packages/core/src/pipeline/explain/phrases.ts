import { codeSpan } from '../draft/safe-markdown.js';
import { reasonShapes } from '../rank/reason-wording.js';

/** A piece of a claim: words of `PHRASES`, or a code span with untrusted text. */
export interface Segment {
  readonly kind: 'words' | 'code';
  readonly text: string;
}

const SUBJECTS = [
  '{} was raised',
  '{} was {} when {} was read from it',
  '{} was {} when {} was set on it',
  '{} was {} when {} was called on it',
  'An error was raised',
  'The crash happened',
] as const;
const PLACES = [
  ' in {} at {}: {}.',
  ' in {} at {}.',
  ' at {}: {}.',
  ' at {}.',
  '.',
  // In explanations of 0.2.0; the reason for no suspect says it.
  '. No frame in the stack trace maps to a file in the repository.',
] as const;
/** Another exception's relation to the followed one. */
const RELATIONS = [
  'Its cause was {}',
  'The root cause was {}',
  'The group contains {}',
  'It was reported as {}',
] as const;
const RAISED = ['.', ', raised in {} at {}.', ', raised at {}.'] as const;

/** What well-known errors mean. */
export const MEANINGS = {
  missingObject: 'The code expected an object, but the value was missing.',
  notAFunction: 'The called value is not a function.',
  undefinedName: 'The code uses a name that is not defined.',
  missingKey: 'The key does not exist.',
  outOfRange: 'An index was out of range.',
  wrongType: 'A value did not have the type that the code expects.',
  notANumber: 'The text could not be parsed as a number.',
  invalidJson: 'The text could not be parsed as JSON.',
  divisionByZero: 'A number was divided by zero.',
  stackOverflow: 'The call stack overflowed, usually because of infinite recursion.',
  outOfMemory: 'The process ran out of memory.',
  fileNotFound: 'A file or directory does not exist. The environment may be the cause, not the code.',
  accessDenied: 'The operating system denied access. The environment may be the cause, not the code.',
  diskFull: 'The disk is full. The environment is the cause, not the code.',
  addressInUse: 'Another process already uses the address. The environment may be the cause, not the code.',
  serviceUnreachable: 'Another service could not be reached. The environment may be the cause, not the code.',
  invalidMemory:
    'The program accessed memory that it does not own, usually through a null or dangling pointer.',
} as const;

/**
 * The sentences that a claim may contain outside code, with `{}` for a code span and `#` for a number. A claim with any
 * other sentence is shown as one code span.
 */
export const PHRASES: ReadonlySet<string> = new Set([
  ...SUBJECTS.flatMap((subject) => PLACES.map((place) => subject + place)),
  'Commit {} ({}) is very likely the cause.',
  'Commit {} ({}) is likely the cause.',
  'Commit {} ({}) is a possible cause.',
  'No commit stands out. The top candidate is commit {} ({}).',
  ...reasonShapes().map((reason) => `It ${reason}.`),
  ...RELATIONS.flatMap((relation) => RAISED.map((where) => relation + where)),
  'It is set on line #: {}.',
  'It added the crashed line.',
  'It rewrote the crashed line, which was {} before.',
  'Next to the crashed line, it changed {} to {}.',
  'Next to the crashed line, it added {}.',
  'Next to the crashed line, it removed {}.',
  'The crashed line itself was last changed by commit {} ({}).',
  'The error mentions {}, which appears in the diff of commit {}.',
  ...Object.values(MEANINGS),
]);

/** Template tag for claims: strings become code spans, numbers stay. */
export function sentence(words: TemplateStringsArray, ...quoted: readonly (string | number)[]): string {
  return words.reduce((text, word, index) => {
    const value = quoted[index - 1];
    return `${text}${typeof value === 'number' ? Math.trunc(value) : codeSpan(value ?? '', 160)}${word}`;
  });
}

/** The segments of a text made only of {@link PHRASES}; `null` for any other text. */
export function segmentsOf(text: string): readonly Segment[] | null {
  const segments = split(text);
  if (segments === null) return null;
  const words = segments.flatMap((segment) => (segment.kind === 'words' ? segment.text : []));
  if (words.some((word) => /[{}#]/.test(word))) return null;
  const shape = segments.map((one) => (one.kind === 'code' ? '{}' : one.text.replace(/\d+/g, '#'))).join('');
  return areSentences(shape) ? segments : null;
}

/** As in CommonMark, a run of backticks is closed by the next run of the same length. `null` if one is not closed. */
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

/** True if the shape is one or more sentences separated by spaces. */
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
