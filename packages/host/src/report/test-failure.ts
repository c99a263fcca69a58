import { stripVTControlCharacters } from 'node:util';
import type { CrashObject } from '@culprit/core';
import { parseStack } from '@culprit/core/internal/pipeline/parse-stack/parse-stack';
import { isPlace, locationsIn } from './failure-locations.js';
import type { FailedTest } from './junit.js';
import { hasFrames, lastStack } from './log-stack.js';

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
