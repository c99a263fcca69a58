import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { CULPRIT_TITLE } from '../../src/demo/webshop-history.js';
import { type ChildEnd, endOf } from '../support/end-of.js';

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
