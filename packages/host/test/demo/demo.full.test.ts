import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CULPRIT_TITLE } from '../../src/demo/webshop.js';
import { CHROMIUM, signIn, visit } from '../support/board-bench.js';
import { demo, FREE, lastLine, ownRepository } from '../support/demo-kit.js';
import { BIN, culprit } from '../support/run-culprit.js';

const WITH_DOUBLE = ['--auto', '--json', '--github-double', ...FREE];

// Each demo starts several processes, which takes long on a busy machine.
t.setTimeout(300_000);

t.test('--github-double: the same demo with the GitHub double', async (t) => {
  const data = join(t.testdir(), 'data');
  const { status, stdout, stderr } = await demo([...WITH_DOUBLE, '--data', data]);
  t.equal(status, 0, 'it ends well', { stdout, stderr });
  const summary = lastLine(stdout);
  t.strictSame(summary.states, ['staged_raw', 'analyzing', 'staged_draft', 'publishing', 'published']);
  t.match(summary.issue_url, /^http:\/\/127\.0\.0\.1:\d+\/culprit-demo\/webshop\/issues\/1$/);
  t.match(stdout, `page          ${summary.issue_url}`, 'its page is printed');
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: join(data, 'webshop'), encoding: 'utf8' }).stdout.trim();
  const culprit = git('log', '-1', '--format=%H', `--grep=${CULPRIT_TITLE}`);
  t.equal(summary.suspects[0]?.sha, culprit, 'the culprit is the first suspect');
  const ignored = git('show', 'HEAD:.git-blame-ignore-revs').split('\n')[1] ?? '';
  t.match(
    stdout,
    `precedes formatting commit \`${ignored.slice(0, 7)}\`, which was skipped`,
    'behind the formatter commit',
  );
  t.notOk(
    summary.suspects.some(({ sha }: { sha: string }) => sha === ignored),
    'the formatter is not a suspect',
  );
  t.match(stdout, '# TypeError: Cannot read properties of undefined', 'the issue is printed');

  const again = await demo([...WITH_DOUBLE, '--data', data]);
  t.equal(again.status, 0, 'again', { stderr: again.stderr });
  const { issues } = JSON.parse(readFileSync(join(data, 'github-double.json'), 'utf8'));
  t.equal(issues.length, 1, 'the same crash is published once');
  t.match(issues[0], { labels: ['culprit', /^suspect:/], user: 'culprit-bot' });
});

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
t.test('command line and board name the move of the crashed file, as the draft does', { skip }, async (t) => {
  const child = spawn(process.execPath, [BIN, 'demo', ...FREE, '--data', join(t.testdir(), 'data')]);
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.on('close', resolve));
  let said = '';
  const [board = '', token = '', run = ''] = await new Promise<string[]>((resolve) => {
    child.stdout.on('data', (text) => {
      said += text;
      const found = [/^ +board +(http:\S+)\/$/m, /^ +token +(\S+)/m, /(run_[0-9a-z]{26})/].map(
        (pattern) => pattern.exec(said)?.[1] ?? '',
      );
      if (found.every(Boolean) && /^ +waiting /m.test(said)) resolve(found);
    });
  });
  const env = { CULPRIT_URL: board, CULPRIT_TOKEN: token };
  t.match(await culprit(['runs', 'approve', run], { env }), { code: 0 });
  const { stdout } = await culprit(['runs', 'show', run], { env });
  const [, by = ''] =
    /^ +moved +src\/pricing\/discounts\.js was moved from src\/promo\.js in ([0-9a-f]{7})$/m.exec(stdout) ??
    [];
  t.ok(by, 'on the command line', { stdout });
  const { page, problems } = await visit(t, `${board}/#${run}`);
  await signIn(page, token);
  const moved = page.locator('.suspect', { hasText: 'moved from src/promo.js to src/pricing/discounts.js' });
  await moved.first().waitFor();
  t.match(await moved.first().textContent(), by, 'with its commit');
  t.same(problems, []);
  child.kill('SIGINT');
  await ended;
});

t.test('without --auto it waits for a reviewer, then serves until it is stopped', async (t) => {
  const child = spawn(process.execPath, [BIN, 'demo', ...FREE, '--data', join(t.testdir(), 'data')]);
  t.teardown(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  let stdout = '';
  const said = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const found = pattern.exec(stdout);
        if (found !== null) resolve(found);
      };
      child.stdout.on('data', look);
      look();
    });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const [, board] = await said(/^ +board +(http:\S+\/)$/m);
  const [, token] = await said(/^ +token +(\S+)/m);
  const [, runId] = await said(/(run_[0-9a-z]{26})/);
  const approve = (gate: string) =>
    fetch(`${board}api/v1/runs/${runId}/${gate}/approve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  await said(/^ +waiting /m);
  t.equal((await approve('gate1')).status, 200);
  await said(/Gate 2: .*\n +waiting /);
  t.equal((await approve('gate2')).status, 200);
  await said(/The board stays open/);
  t.match(stdout, /# TypeError: Cannot read properties of undefined/);
  t.equal((await fetch(`${board}healthz`)).status, 200, 'it keeps serving');
  child.kill('SIGINT');
  t.equal(await ended, 0);
  await t.rejects(fetch(`${board}healthz`), 'nothing is left running');
});

t.test('--repo and --crash FILE:LINE', async (t) => {
  const folder = ownRepository(join(t.testdir(), 'own'));
  const data = join(folder, '../data');
  const { status, stdout, stderr } = await demo([
    '--repo',
    folder,
    '--crash',
    'main.py:2',
    '--auto',
    '--json',
    '--data',
    data,
    ...FREE,
  ]);
  t.equal(status, 0, 'exits with 0', { stdout, stderr });
  t.match(readFileSync(lastLine(stdout).issue_file, 'utf8'), 'Print a ratio');
});

t.test('--repo and -- COMMAND', async (t) => {
  const folder = ownRepository(join(t.testdir(), 'own'));
  const trace =
    'Traceback (most recent call last):\n  File "main.py", line 5, in <module>\n    print(ratio(1, 0))\n  File "main.py", line 2, in ratio\n    return a / b\nZeroDivisionError: division by zero\n';
  const program = `process.stderr.write(${JSON.stringify(trace)}); process.exit(1)`;
  const data = join(folder, '../data');
  const { status, stdout, stderr } = await demo([
    '--repo',
    folder,
    '--auto',
    '--json',
    '--data',
    data,
    ...FREE,
    '--',
    process.execPath,
    '-e',
    program,
  ]);
  t.equal(status, 0, 'exits with 0', { stdout, stderr });
  t.match(stdout, 'ZeroDivisionError');
  t.match(readFileSync(lastLine(stdout).issue_file, 'utf8'), 'Print a ratio');
  const nothing = await demo(['--repo', folder, ...FREE, '--', process.execPath, '-e', '0']);
  t.equal(nothing.status, 2);
  t.match(nothing.stderr, /There is no crash to report/);
});
