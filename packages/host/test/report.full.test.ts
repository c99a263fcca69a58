import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivery } from '@culprit/core';
import { normalise } from '@culprit/core/analysis';
import t from 'tap';
import { readJunit } from '../src/report/junit.js';
import { lastStack } from '../src/report/log-stack.js';
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
});
