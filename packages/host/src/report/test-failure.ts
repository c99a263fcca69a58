import { stripVTControlCharacters } from 'node:util';
import type { CrashObject } from '@culprit/core';
import { parseStack } from '@culprit/core/internal/pipeline/parse-stack/parse-stack';
import type { FailedTest } from './junit.js';

/** A headline such as `TypeError: x is undefined`, `java.lang.IllegalStateException`. `Expected: 1` is none. */
const HEADLINE =
  /^((?:[\w$]+[.:\\]{1,2})*[\w$]*(?:Error|Exception|Failure|Failed|Interrupt|panic)[\w$]*)(?::\s+(.*))?$/;

/** go-junit-report writes it for every failure. */
const NO_MESSAGE = /^\s*(?:Failed|Failure|Error)\.?\s*$/;

/**
 * The crash of a failed test. Runners name their own error type in the attributes (`testCodeFailure`), and write a difference between the
 * message and the stack (Jest, xUnit, NUnit); some write no stack, but lines with a file and a line number (pytest, GoogleTest, Go, PHPUnit,
 * Vitest).
 */
export function crashOfFailure(given: FailedTest): CrashObject {
  const test = NO_MESSAGE.test(given.message ?? '') ? { ...given, message: null } : given;
  const text = stripVTControlCharacters(test.text).trim();
  const stack = lastStack(text);
  if (stack === null) return withoutStack(test, text);
  const { exceptions } = parseStack(stack);
  const [thrown] = exceptions.slice(-1);
  const first = firstLine(text);
  if (exceptions.length > 1 || (thrown?.type && first?.includes(thrown.type))) return { stack };
  return { exception: { values: [said(test, text)] }, stack: framesOnly(stack) };
}

function withoutStack(test: FailedTest, text: string): CrashObject {
  const { frames, said: what } = locationsIn(text);
  const { type, value } = said(test, text);
  if (frames.length === 0)
    return { exception: { values: [{ type, value }] }, ...(text === '' ? {} : { stack: text }) };
  // pytest marks the error, and Go writes the message behind the place.
  const own = test.message === null || value === null ? (what ?? value) : value;
  const stacktrace = {
    frames: frames.map(({ file, number, name }) => ({ filename: file, lineno: number, function: name })),
  };
  return {
    exception: { values: [{ type, value: own ?? 'The test failed', stacktrace }] },
  } as CrashObject;
}

/** Its type and message: from the first line of the message or the text that is a headline, else from the attributes. */
function said({ type, message }: FailedTest, text: string): { type: string | null; value: string | null } {
  const lines = [message === null ? null : firstLine(message), firstLine(text)];
  for (const line of lines) {
    const [, name, rest] = HEADLINE.exec(line ?? '') ?? [];
    if (name !== undefined) return { type: name, value: rest ?? lines[0] ?? type };
  }
  return { type, value: lines[0] ?? lines[1] ?? null };
}

/** Without the lines before the first frame: they are the end of a message. */
function framesOnly(stack: string): string {
  const lines = stack.split('\n');
  const from = lines.findIndex(hasFrames);
  return from === -1 ? stack : lines.slice(from).join('\n');
}

/** PHPUnit begins with the name of the test. */
const TEST_NAME = /^[\w\\]{1,300}::\w{1,300}(?: with data set .*)?$/;

function firstLine(text: string): string | null {
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed !== '' && !isPlace(trimmed) && !TEST_NAME.test(trimmed)) return trimmed;
  }
  return null;
}

/** A place that a failed test names. */
interface Location {
  readonly file: string;
  readonly number: number;
  readonly name: string | null;
  /** The whole line. */
  readonly line: string;
}

const FILE = String.raw`((?:[A-Za-z]:)?[^\s:()'"<>]{1,300}\.[A-Za-z]\w{0,9}):(\d{1,7})(?::\d{1,6})?`;
/** `src/pay.py:2: ZeroDivisionError`, `cart_test.go:12: got 1`, `cart_test.cc:12`, `/app/CartTest.php:12`. */
const LINE = new RegExp(`^\\s*${FILE}(?::?\\s*$|:\\s+(.*)$)`);
/** Vitest: ` ❯ total src/cart.ts:2:18`. */
const ARROW = new RegExp(`^\\s*❯\\s+(?:(\\S{1,200})\\s+)?${FILE}\\s*$`);
/** A function in the source that pytest shows above a place. */
const DEFINED = /^[>\s]*(?:async\s+)?def\s+(\w{1,200})\s*\(/;
/** pytest marks the lines of the error. */
const ERROR = /^E\s{1,20}(\S.*)$/;
const MAX = 100;

/**
 * The places in the text of a failed test, oldest call first, and what it says about the failure. pytest writes the oldest call first, the
 * others the newest.
 */
function locationsIn(text: string): {
  readonly frames: readonly Location[];
  readonly said: string | null;
} {
  const frames: Location[] = [];
  let defined: string | null = null;
  let error: string | null = null;
  let rest: string | null = null;
  for (const line of text.split('\n')) {
    defined = DEFINED.exec(line)?.[1] ?? defined;
    error ??= ERROR.exec(line)?.[1] ?? null;
    if (line.length > 2_000 || frames.length === MAX) continue;
    const [, called, shown, at] = ARROW.exec(line) ?? [];
    const [, file = shown, number = at, after = ''] = LINE.exec(line) ?? [];
    if (file === undefined || number === undefined) continue;
    const [, inside] = /^in (\w{1,200})/.exec(after) ?? [];
    const python = file.endsWith('.py');
    const name = called ?? inside ?? (python ? defined : null);
    frames.push({ file, number: Number(number), name, line: line.trim() });
    if (after !== '' && inside === undefined) rest = after;
    defined = null;
  }
  const oldestFirst = frames.some(({ file }) => file.endsWith('.py'));
  return { frames: oldestFirst ? frames : frames.reverse(), said: error ?? rest };
}

/** A line that is only a place. */
function isPlace(line: string): boolean {
  const [, , , after = ''] = LINE.exec(line) ?? [null, '', '', '?'];
  return after === '' || ARROW.test(line);
}

/** Characters from the end of a log that are searched: a crash is what the program printed last. */
const SEARCHED = 1_000_000;
/** Prefixes that continuous integration writes before each line: GitHub Actions' time, GitLab's time and stream. */
const PREFIX = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z (?:\d\d[OE][+ ]? ?)?/;
/** A paragraph that continues the stack above it. */
const CONTINUES =
  /^(?:During handling of the above exception|The above exception was the direct cause|goroutine \d)/;

/** The last stack of a log, with its headline; `null` if it has none. */
export function lastStack(log: string): string | null {
  const lines = stripVTControlCharacters(log.slice(-SEARCHED))
    .split(/\r?\n/)
    .map((line) => line.replace(PREFIX, ''));
  const paragraphs = lines
    .join('\n')
    .split(/\n\s*\n/)
    .filter((text) => text.trim() !== '');
  for (let at = paragraphs.length - 1; at >= 0; at--) {
    // A frame has a line number or an address, or starts with `at`. This saves seconds on a long log without a stack.
    if (!/[\s:(,+#]\d|^\s*at /m.test(paragraphs[at] ?? '') || !hasFrames(paragraphs[at] ?? '')) continue;
    let from = at;
    while (
      from > 0 &&
      (CONTINUES.test(start(paragraphs[from])) || CONTINUES.test(start(paragraphs[from - 1])))
    )
      from--;
    return paragraphs.slice(from, at + 1).join('\n\n');
  }
  return null;
}

const start = (paragraph: string | undefined) => (paragraph ?? '').trimStart();

function hasFrames(text: string): boolean {
  return parseStack(text).exceptions.some(({ frames }) => frames.length > 0);
}
