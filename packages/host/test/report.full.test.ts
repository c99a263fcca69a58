import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivery } from '@culprit/core/internal/domain/delivery';
import { normalise } from '@culprit/core/internal/pipeline/normalise/normalise';
import { makeDelivery } from '@culprit/core/internal/testing/builders';
import t from 'tap';
import { readReport } from '../src/cli/read-report.js';
import { readJunit } from '../src/report/junit.js';
import { crashOfFailure, lastStack } from '../src/report/test-failure.js';
import { edge, scratch, spooled, TOKEN } from './support/edge-kit.js';
import { culprit } from './support/run-culprit.js';

const SHA = 'c'.repeat(40);

t.test('a red build becomes crashes: a real report of node:test, and the log of a program', async (t) => {
  const place = await scratch(t);
  mkdirSync(join(place, 'test'));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  writeFileSync(join(place, 'cart.js'), 'export function total(cart) {\n  return cart.items.length;\n}\n');
  writeFileSync(
    join(place, 'test/cart.test.js'),
    `import test from 'node:test';
import { total } from '../cart.js';
test('the cart', async (t) => {
  await t.test('is summed', () => { total(undefined); });
  await t.test('is empty', () => {});
});
`,
  );
  const env = { PATH: process.env.PATH ?? '' };
  const report = join(place, 'report.xml');
  t.throws(() =>
    execFileSync(
      process.execPath,
      ['--test', '--test-reporter=junit', `--test-reporter-destination=${report}`],
      { cwd: place, env, stdio: 'pipe' },
    ),
  );
  const log = join(place, 'job.log');
  writeFileSync(
    log,
    [
      '2026-11-22T10:00:00.1234567Z \u001b[32mstarting\u001b[0m',
      '2026-11-22T10:00:01.1234567Z ',
      '2026-11-22T10:00:02.1234567Z Traceback (most recent call last):',
      '2026-11-22T10:00:02.1234567Z   File "/builds/shop/pay.py", line 7, in charge',
      '2026-11-22T10:00:02.1234567Z     return amount / rate',
      '2026-11-22T10:00:02.1234567Z ZeroDivisionError: division by zero',
      '2026-11-22T10:00:03.1234567Z ',
      '2026-11-22T10:00:03.1234567Z ##[error]Process completed with exit code 1.',
    ].join('\n'),
  );
  const spoolDirectory = await scratch(t);
  const server = await edge(t, { spoolDirectory });
  const job = {
    SERVICE_TOKENS: `shop/ci:${TOKEN}`,
    CULPRIT_EDGE_URL: server.url,
    GITHUB_SHA: SHA,
    GITHUB_REF_NAME: 'main',
    GITHUB_RUN_ID: '77',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_JOB: 'test',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/shop',
  };
  const send = () => culprit(['report', report, log, '--data', place], { env: job });
  const sent = await send();
  t.equal(sent.code, 0, sent.stderr);
  t.match(sent.stdout, /^202 {2}.*is summed\n/m);
  t.match(sent.stdout, /^202 {2}job\.log\n/m);

  const events = (await spooled(spoolDirectory)).map(({ crash }) => crash);
  const ours = events.find(({ transaction }) => String(transaction).endsWith('is summed')) ?? {};
  t.match(ours, {
    environment: 'ci',
    commit: SHA,
    tags: { 'ci.branch': 'main', 'ci.job': 'https://github.com/acme/shop/actions/runs/77' },
  });
  const deliveries = await spooled(spoolDirectory);
  const crashed = normalise({ ...(deliveries[0] as Delivery), crash: ours });
  const frame = crashed.exceptions[0]?.frames.at(-1);
  t.match(crashed.exceptions[0]?.type, 'TypeError', 'the error of the program, not of the runner');
  t.match(frame, { function: 'total', line: 2 }, 'the line that threw');
  t.match(frame?.file ?? '', /cart\.js$/);
  const logged = events.find(({ logger }) => logger === 'log');
  t.match(logged?.stack, /^Traceback[\s\S]*division by zero$/, 'without times, and without what follows');

  const ids = new Set(events.map(({ event_id }) => event_id));
  t.equal((await send()).code, 0);
  const again = new Set((await spooled(spoolDirectory)).map(({ crash }) => crash.event_id));
  t.same(again, ids, 'the same job that reports twice has the same event ids');

  const wrong = await culprit(['report', report, '--data', place], {
    env: { ...job, SERVICE_TOKENS: 'shop/ci:another-token-of-nobody' },
  });
  t.match(wrong, { code: 1, stdout: /^401 /m });
  const missing = await culprit(['report', join(place, 'none.xml')], { env: job });
  t.match(missing, { code: 3, stderr: /There is no file .*none\.xml/ });
  const fine = await culprit(['report', '-'], {
    env: job,
    input: '<testsuites><testcase name="a"/></testsuites>',
  });
  t.match(fine, { code: 0, stdout: /nothing was sent/ });
  const broken = await culprit(['report', '-'], { env: job, input: '<testsuites><testcase name="a">' });
  t.match(broken, { code: 2, stderr: /not valid XML/ });
});

t.test('JUnit reports of other runners', async (t) => {
  const surefire = `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.acme.CartTest" tests="3" failures="1" errors="1">
  <testcase name="sums" classname="com.acme.CartTest">
    <error message="Cannot invoke &quot;Cart.items()&quot;" type="java.lang.NullPointerException"><![CDATA[java.lang.NullPointerException: Cannot invoke "Cart.items()"
\tat com.acme.Cart.total(Cart.java:12)
\tat com.acme.CartTest.sums(CartTest.java:8)]]></error>
    <system-out>noise</system-out>
  </testcase>
  <testcase name="flaky" classname="com.acme.CartTest"><flakyFailure message="once">at a.B.c(D.java:1)</flakyFailure></testcase>
  <testcase name="skipped" classname="com.acme.CartTest"><skipped/></testcase>
</testsuite>`;
  t.match(readJunit(surefire), [
    {
      name: 'sums',
      suite: 'com.acme.CartTest',
      type: 'java.lang.NullPointerException',
      text: /Cart\.java:12/,
    },
  ]);
  t.equal(readJunit(surefire).length, 1, 'a rerun that passed is no failure');
  const pytest = `<testsuites><testsuite name="pytest"><testcase classname="tests.test_pay" name="test_charge">
<failure message="ZeroDivisionError: division by zero">def test_charge():
&gt;       charge(1, 0)

tests/test_pay.py:4:
ZeroDivisionError</failure></testcase></testsuite></testsuites>`;
  t.match(readJunit(pytest), [
    { name: 'test_charge', type: null, message: 'ZeroDivisionError: division by zero' },
  ]);
  const bomb =
    '<!DOCTYPE a [<!ENTITY x "yyyy">]><testsuites><testcase name="a"><failure>&x;</failure></testcase></testsuites>';
  t.throws(() => readJunit(bomb), { code: 'malformed' }, 'entities are never expanded');
});

t.test('the last stack of a log', async (t) => {
  t.equal(lastStack('all is well\n\nreally'), null);
  const go = 'panic: boom\n\ngoroutine 1 [running]:\nmain.total(...)\n\t/src/cart.go:12 +0x1d\nexit status 2';
  t.match(lastStack(`ok\n\n${go}`), /^panic: boom[\s\S]*cart\.go:12/);
  const chained =
    'Traceback (most recent call last):\n  File "a.py", line 1, in a\nKeyError: 1\n\n' +
    'During handling of the above exception, another exception occurred:\n\n' +
    'Traceback (most recent call last):\n  File "b.py", line 2, in b\nValueError: 2';
  t.equal(lastStack(`noise\n\n${chained}\n\ndone`), chained);
  const withoutLines = 'System.Exception: empty\n   at Shop.Cart.Total(Item item)\n   at Shop.Program.Main()';
  t.equal(lastStack(`noise\n\n${withoutLines}\n\ndone`), withoutLines, 'a .NET stack without line numbers');
});

/** How runners write a failure: attributes, text, and what is known of it. */
const RUNNERS: readonly {
  readonly name: string;
  readonly type?: string;
  readonly message?: string;
  readonly text: string;
  /** Type, message, and the places, oldest call first. */
  readonly is: readonly [string | null, string, ...string[]];
}[] = [
  {
    name: 'pytest, long',
    message: 'ZeroDivisionError: division by zero',
    text: `def test_charge():\n>       assert charge(1, 0) == 1\n\ntests/test_pay.py:5: \n_ _ _ _ _ _ _ _\n\na = 1, b = 0\n
    def charge(a, b):\n>       return a / b\nE       ZeroDivisionError: division by zero\n\nsrc/pay.py:2: ZeroDivisionError`,
    is: ['ZeroDivisionError', 'division by zero', 'test_charge tests/test_pay.py:5', 'charge src/pay.py:2'],
  },
  {
    name: 'pytest, short',
    message: 'assert 1 == 2',
    text: 'tests/test_pay.py:5: in test_charge\n    assert total() == 2\nE   assert 1 == 2\nE    +  where 1 = total()',
    is: [null, 'assert 1 == 2', 'test_charge tests/test_pay.py:5'],
  },
  {
    name: 'jest-junit',
    text: `\u001b[31mError: expect(received).toBe(expected) // Object.is equality\u001b[39m\n\nExpected: 1\nReceived: 2
    at Object.<anonymous> (/builds/shop/test/cart.test.js:5:10)`,
    is: [
      'Error',
      'expect(received).toBe(expected) // Object.is equality',
      'Object.<anonymous> /builds/shop/test/cart.test.js:5',
    ],
  },
  {
    name: 'Vitest',
    type: 'AssertionError',
    message: 'expected 1 to be 2 // Object.is equality',
    text: 'AssertionError: expected 1 to be 2 // Object.is equality\n\n- Expected\n+ Received\n\n- 2\n+ 1\n\n ❯ total src/cart.ts:2:18\n ❯ test/cart.test.ts:5:21',
    is: [
      'AssertionError',
      'expected 1 to be 2 // Object.is equality',
      '? test/cart.test.ts:5',
      'total src/cart.ts:2',
    ],
  },
  {
    name: 'Surefire, with a cause',
    type: 'org.opentest4j.AssertionFailedError',
    message: 'expected: <1> but was: <2>',
    text: 'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>\n\tat com.acme.CartTest.sums(CartTest.java:8)\nCaused by: java.lang.IllegalStateException: no cart\n\tat com.acme.Cart.total(Cart.java:3)\n\t... 1 more',
    is: ['AssertionFailedError', 'expected: <1> but was: <2>', 'sums CartTest.java:8'],
  },
  {
    name: 'go-junit-report',
    message: 'Failed',
    text: '    cart_test.go:12: got 1, want 2',
    is: [null, 'got 1, want 2', '? cart_test.go:12'],
  },
  {
    name: 'go-junit-report, a panic',
    message: 'Failed',
    text: 'panic: no cart\n\ngoroutine 7 [running]:\nshop.total(...)\n\t/src/shop/cart.go:12\nshop.TestTotal(0xc0000)\n\t/src/shop/cart_test.go:8 +0x1d',
    is: ['panic', 'no cart', 'TestTotal /src/shop/cart_test.go:8', 'total /src/shop/cart.go:12'],
  },
  {
    name: 'GoogleTest',
    message: 'cart_test.cc:12\nExpected equality of these values:\n  total(cart)\n    Which is: 1\n  2',
    text: 'cart_test.cc:12\nExpected equality of these values:\n  total(cart)\n    Which is: 1\n  2',
    is: [null, 'Expected equality of these values:', '? cart_test.cc:12'],
  },
  {
    name: 'NUnit, converted',
    message: '  Expected: 1\n  But was:  2\n',
    text: '   at Acme.CartTests.Sums() in /src/tests/CartTests.cs:line 12',
    is: [null, 'Expected: 1', 'Sums /src/tests/CartTests.cs:12'],
  },
  {
    name: 'xUnit, converted',
    type: 'Xunit.Sdk.EqualException',
    message: 'Assert.Equal() Failure: Values differ\nExpected: 1\nActual:   2',
    text: 'Assert.Equal() Failure: Values differ\nExpected: 1\nActual:   2\n   at Acme.CartTests.Sums() in /src/tests/CartTests.cs:line 12',
    is: [
      'Xunit.Sdk.EqualException',
      'Assert.Equal() Failure: Values differ',
      'Sums /src/tests/CartTests.cs:12',
    ],
  },
  {
    name: 'PHPUnit',
    type: 'PHPUnit\\Framework\\ExpectationFailedException',
    text: 'CartTest::testSum\nFailed asserting that 1 matches expected 2.\n\n/app/src/Cart.php:3\n/app/tests/CartTest.php:12',
    is: [
      'PHPUnit\\Framework\\ExpectationFailedException',
      'Failed asserting that 1 matches expected 2.',
      '? /app/tests/CartTest.php:12',
      '? /app/src/Cart.php:3',
    ],
  },
  { name: 'no stack', message: 'it hangs', text: 'it hangs', is: [null, 'it hangs'] },
];

t.test('what failed, and where, as runners write it', async (t) => {
  for (const { name, type = null, message = null, text, is } of RUNNERS) {
    const crash = crashOfFailure({ name: 'sums', suite: 'cart', type, message, text });
    const { exceptions } = normalise(makeDelivery({ crash: { ...crash, event_id: 'a' } }));
    const thrown = exceptions.at(-1);
    const frames = thrown?.frames.map((one) => `${one.function ?? '?'} ${one.file}:${one.line}`) ?? [];
    t.same([thrown?.type ?? null, thrown?.value, ...frames], is, name);
  }
});

t.test('a log of any size is read from its end', async (t) => {
  const place = await scratch(t);
  const file = join(place, 'job.log');
  const stack = (name: string) => `${name}: boom\n    at total (src/cart.js:2:18)`;
  writeFileSync(file, `${stack('FirstError')}\n\n`);
  // Longer than any string may be.
  truncateSync(file, 600 * 1024 * 1024);
  appendFileSync(file, `\n\n${stack('EarlierError')}\n\n\u001b[31m${stack('LastError')}\u001b[0m\n\ndone\n`);
  const { kind, text } = await readReport(file);
  t.equal(kind, 'log');
  t.ok(text.length <= 9 * 1024 * 1024, String(text.length));
  t.equal(lastStack(text), stack('LastError'), 'the last of several');
  const report = join(place, 'huge.xml');
  writeFileSync(report, '<testsuites>');
  truncateSync(report, 80 * 1024 * 1024);
  const refused = await culprit(['report', report, '--data', place], { env: {} });
  t.match(refused, { code: 2, stderr: /is larger than 67108864 bytes/ });
  const folder = await culprit(['report', place, '--data', place], { env: {} });
  t.match(folder, { code: 2, stderr: /is a folder/ });
});
