import { CulpritError } from '@culprit/core';
import { SaxesParser } from 'saxes';

/** A test that failed, from a JUnit report. */
export interface FailedTest {
  readonly name: string;
  /** The class or file of the test; empty if the report has none. */
  readonly suite: string;
  readonly type: string | null;
  readonly message: string | null;
  /** The body of the failure: usually a stack, sometimes after a difference. */
  readonly text: string;
}

/** Elements that say why a test failed. Reruns that passed have others (`flakyFailure`), and are no failures. */
const FAILURES = new Set(['failure', 'error']);

/**
 * The failed tests of a JUnit XML report, as Surefire, Gradle, pytest, Jest, Vitest, node:test, RSpec, PHPUnit, go-junit-report and
 * others write it. Throws `malformed` with line and column. Entities beyond XML's own five are an error and are never expanded.
 */
export function readJunit(xml: string): readonly FailedTest[] {
  const parser = new SaxesParser();
  const found: FailedTest[] = [];
  let test: { name: string; suite: string } | null = null;
  let failure: { type: string | null; message: string | null; text: string } | null = null;
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'testcase') {
      test = { name: attributes.name ?? '', suite: attributes.classname ?? attributes.file ?? '' };
    } else if (test !== null && failure === null && FAILURES.has(name)) {
      failure = { type: attributes.type || null, message: attributes.message || null, text: '' };
    }
  });
  const take = (text: string) => {
    if (failure !== null) failure.text += text;
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', ({ name }) => {
    if (name === 'testcase') test = null;
    if (test === null || failure === null || !FAILURES.has(name)) return;
    found.push({ ...test, ...failure });
    failure = null;
  });
  parser.on('error', (error) => {
    throw new CulpritError('malformed', `The report is not valid XML: ${error.message}`);
  });
  parser.write(xml).close();
  return found;
}
