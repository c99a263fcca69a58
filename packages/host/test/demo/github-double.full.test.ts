import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { CULPRIT_TITLE } from '../../src/demo/webshop-history.js';
import { CHROMIUM, signIn, visit } from '../support/board-bench.js';
import { type ChildEnd, endOf } from '../support/end-of.js';
import { culprit } from '../support/run-culprit.js';

const BIN = fileURLToPath(new URL('../../dist/bin/culprit.js', import.meta.url));

function demo(data: string): Promise<ChildEnd> {
  const flags = ['--auto', '--json', '--github-double', '--edge-port', '0', '--core-port', '0'];
  const child = spawn(process.execPath, [BIN, 'demo', ...flags, '--data', data], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, GITHUB_TOKEN: 'must not be used' },
  });
  return endOf(child);
}

// Each demo starts several processes, which takes long on a busy machine.
t.setTimeout(300_000);

t.test('--github-double: the same demo with the GitHub double', async (t) => {
  const data = join(t.testdir(), 'data');
  const { status, stdout, stderr } = await demo(data);
  t.equal(status, 0, 'it ends well', { stdout, stderr });
  const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
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

  const again = await demo(data);
  t.equal(again.status, 0, 'again', { stderr: again.stderr });
  const { issues } = JSON.parse(readFileSync(join(data, 'github-double.json'), 'utf8'));
  t.equal(issues.length, 1, 'the same crash is published once');
  t.match(issues[0], { labels: ['culprit', /^suspect:/], user: 'culprit-bot' });
});

const skip = CHROMIUM === undefined ? 'needs chromium' : false;
t.test('command line and board name the move of the crashed file, as the draft does', { skip }, async (t) => {
  const flags = ['--edge-port', '0', '--core-port', '0', '--data', join(t.testdir(), 'data')];
  const child = spawn(process.execPath, [BIN, 'demo', ...flags]);
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
