import type { CrashException } from '../../domain/event.js';
import type { BlamedFile } from '../../ports/code-host.js';
import { isDeniedPath } from '../locate/denied-path.js';
import type { TextScrubber } from '../scrub-text.js';
import { assignedIn, wordsOf } from './code-lines.js';
import { functionExtent } from './function-extent.js';
import type { Position } from './types.js';

/** The crash's words and files, with which commits are compared. All text is scrubbed, because reasons quote it. */
export interface CrashContext {
  /** Identifiers and words of the error's type and message. */
  readonly error: ReadonlySet<string>;
  /** Words of the source lines of the top frames. */
  readonly source: ReadonlySet<string>;
  /** Names of the stack's functions, without qualifiers, and the last component of their classes. */
  readonly functions: ReadonlySet<string>;
  /** Files of the first lines of the stack, crashed line first. */
  readonly paths: readonly string[];
  /** Files of the stack and their directories. */
  readonly files: ReadonlySet<string>;
  readonly directories: ReadonlySet<string>;
  /** The error is about how many or which arguments were passed. */
  readonly aboutArguments: boolean;
  /** The error is about a missing value. */
  readonly aboutMissingValue: boolean;
  /** The error is about what surrounds the program: network, memory, disk, files, permissions, environment variables. */
  readonly aboutEnvironment: boolean;
}

const STOP = new Set(
  (
    'abstract and any are args argument arguments assert async await been bool boolean break but call called can cannot case ' +
    'catch char class const continue could default def defined del delete did does double elif else end ensure enum error ' +
    'errors except exception expected export extends failed false final finally float for found from func function get given ' +
    'has have if import index info insert instance instanceof int interface into invalid its lambda length level line list ' +
    'main message method missing module must name new nil none not null nullptr object only package pass positional print ' +
    'private property properties protected public raise read reading require required rescue return self set should start ' +
    'static str string struct super switch take takes than that the then there this throw throws true try type typeerror ' +
    'typeof undefined unless unsigned until use val value values var void was were when where which while will with yield ' +
    'you attribute referenceerror runtimeerror valueerror attributeerror keyerror nameerror nomethoderror java lang org com ' +
    'let local out http https'
  ).split(' '),
);
const MAX_WORDS = 200;
/** Number of source lines whose words count. */
const SOURCE_LINES = 3;
/** Number of assignments before the crashed line whose words count. */
const FEEDING_LINES = 3;
/** Number of stack lines for which the creation of their file counts. */
const CREATED_FILES = 6;
/** Number of frames whose functions count. */
const FUNCTIONS = 10;
const ARGUMENTS =
  /\barguments?\b|\bparameters?\b|\barity\b|takes (?:at (?:most|least|exactly) |from )?\d|\(given \d|wrong number of|unexpected keyword|no matching (?:method|function|overload)|NoSuchMethod|too (?:few|many)|not enough/i;
const MISSING_VALUE =
  /\bnull\b|\bnil\b|\bNone\b|NoneType|undefined|NullPointer|NullReference|KeyError|IndexError|out of (?:range|bounds)|no such element|empty|missing/i;
const ENVIRONMENT =
  /time[d-]?[ -]?out|deadline exceeded|connection (?:refused|reset|aborted|closed)|(?:host|network) is? ?unreachable|out ?of ?memory|MemoryError|heap space|no space left|disk full|no such file|FileNotFound|permission denied|access denied|broken pipe|\bE(?:NOENT|ACCES|CONNREFUSED|CONNRESET|TIMEDOUT|NOSPC|MFILE|PIPE|ADDRINUSE)\b|ENOTFOUND|getaddrinfo|name or service not known|address already in use|too many open files|cannot allocate|environment variable|certificate (?:verify|has expired)/i;

function significantWords(texts: readonly (string | null)[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    for (const word of wordsOf((text ?? '').slice(0, 4_000))) {
      if (words.size < MAX_WORDS && !STOP.has(word.toLowerCase())) words.add(word);
    }
  }
  return words;
}

export function crashContext(
  exception: CrashException,
  positions: readonly Position[],
  files: readonly Pick<BlamedFile, 'path' | 'lines'>[],
  scrub: TextScrubber,
): CrashContext {
  const clean = (text: string | null) => scrub(text ?? '').replace(/\[redacted:[^\]]*\]/g, ' ');
  const shown = positions.slice(0, SOURCE_LINES).filter(({ path }) => !isDeniedPath(path));
  const textOf = (position: Position | undefined) => position?.views[0]?.text ?? null;
  const names = exception.frames.map((frame) => clean(frame.function));
  const error = `${exception.type ?? ''}: ${exception.value ?? ''}`;
  const paths = new Set(files.map(({ path }) => path));
  const value = clean(exception.value);
  return {
    error: significantWords([clean(exception.type), value]),
    source: significantWords([...shown.map(textOf), ...feedingLines(shown[0], files)].map(clean)),
    functions: significantWords(names.slice(-FUNCTIONS).flatMap((name) => [ownName(name), ownerName(name)])),
    paths: positions.slice(0, CREATED_FILES).map(({ path }) => path),
    files: paths,
    directories: new Set([...paths].map(directoryOf)),
    aboutArguments: ARGUMENTS.test(error),
    aboutMissingValue: MISSING_VALUE.test(error),
    aboutEnvironment: ENVIRONMENT.test(error),
  };
}

/** Lines of the crashed function above the crashed line that assign a name used on it, nearest first. */
function feedingLines(
  crashed: Position | undefined,
  files: readonly Pick<BlamedFile, 'path' | 'lines'>[],
): readonly string[] {
  const lines = files.find(({ path }) => path === crashed?.path)?.lines;
  const extent = crashed && lines ? functionExtent(lines, crashed.line) : null;
  if (!crashed || !lines || !extent) return [];
  const used = new Set(wordsOf(lines[crashed.line - 1] ?? ''));
  return lines
    .slice(extent.start, crashed.line - 1)
    .filter((line) => used.has(assignedIn(line) ?? ''))
    .reverse()
    .slice(0, FEEDING_LINES);
}

export function isCrashWord({ error, source, functions }: CrashContext, word: string): boolean {
  return error.has(word) || source.has(word) || functions.has(word);
}

export function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The function's name without class, package and number: `handleV3Response` of `Client$Read.lambda$handleV3Response$0`. */
function ownName(name: string | null): string {
  const last = unqualified(name).at(-1) ?? '';
  return last.replace(/^lambda\$/, '').replace(/\$\d+$/, '');
}

/** The function's class: `Read` of `org.x.Client$Read.run`. */
function ownerName(name: string): string {
  return unqualified(name).at(-2)?.split('$').at(-1) ?? '';
}

function unqualified(name: string | null): readonly string[] {
  const called = (name ?? '').replace(/\([^()]{0,400}\)$/, '').replace(/^.{0,200} in /s, '');
  return called.split(/[.#:/\\>]+/);
}
