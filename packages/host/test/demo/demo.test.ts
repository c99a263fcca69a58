import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { run, usage } from '../../src/cli/demo.js';
import { readFlags } from '../../src/cli/read-flags.js';
import { removeOld } from '../../src/demo/run-demo.js';
import { choosePort } from '../../src/demo/servers.js';
import { CULPRIT_TITLE } from '../../src/demo/webshop.js';
import { demo, FREE, lastLine, ownRepository } from '../support/demo-kit.js';

// Each demo starts several processes, which takes long on a busy machine.
t.setTimeout(400_000);

t.test('--auto: three doors, one run, both gates, one issue that names the culprit', async (t) => {
  const data = join(t.testdir(), 'data');
  const { status, stdout, stderr } = await demo(['--auto', '--json', '--data', data, ...FREE]);
  t.equal(status, 0, 'exits with 0', { stdout, stderr });
  t.match(stdout, '3 occurrences through native, sdk, webhook');
  t.match(stdout, /answer only while the demo runs, and it ends here\. The file stays\.$/m);
  t.notMatch(stdout, '\u001b', 'no colours without a terminal');
  for (const door of ['native door', 'SDK door', 'webhook'])
    t.match(stdout, new RegExp(`^ *${door} .* 20[02] +\\d+ ms$`, 'm'), door);
  const summary = lastLine(stdout);
  t.strictSame(summary.states, ['staged_raw', 'analyzing', 'staged_draft', 'publishing', 'published']);
  t.match(summary.issue_url, /^http:\/\/127\.0\.0\.1:\d+\/outbox\/1$/);
  t.type(summary.seconds, 'number');
  t.match(summary.run_id, /^run_/);

  const issue = readFileSync(summary.issue_file, 'utf8');
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: join(data, 'webshop'), encoding: 'utf8' }).stdout.trim();
  const culprit = git('log', '-1', '--format=%H', `--grep=${CULPRIT_TITLE}`);
  const head = git('rev-parse', 'HEAD');
  const [first] = /^\| (?:\d+ % \| )?`[0-9a-f]{7}` .*$/m.exec(issue) ?? [];
  t.match(first, `\`${culprit.slice(0, 7)}\` \`${CULPRIT_TITLE}\``, 'the culprit is the first suspect');
  t.match(issue, /last changed line 8 of `src\/pricing\/discounts\.js`, the crashed line/, 'with the reason');
  t.match(issue, /^\+\s+return Math\.round\(cents\*voucher\.percent\/100\)/m, 'with its hunk');
  t.match(issue, `${head}/src/pricing/discounts.js#L8`, 'the crashed line is linked at the crashed commit');
  t.notOk(/(^|[^`\w])@\w+/.test(issue.replace(/`[^`]*`/g, '')), 'nobody is mentioned');

  const again = await demo(['--auto', '--json', '--data', data, ...FREE]);
  t.equal(again.status, 0, 'again', { stderr: again.stderr });
  t.equal(lastLine(again.stdout).run_id, summary.run_id, 'the same crash is counted on the same run');
  const issues = readdirSync(join(data, 'outbox')).filter((name) => name.endsWith('.md'));
  t.equal(issues.length, 1, 'and published once');
});

t.test('temporary folders of demos that ended are removed after a day', async (t) => {
  const parent = t.testdir();
  const day = 86_400_000;
  for (const [name, pid, days] of [
    ['culprit-demo-oldone', 0, 2],
    ['culprit-demo-in0use', process.pid, 2],
    ['culprit-demo-recent', 0, 0],
    ['culprit-demo-named-by-a-person', 0, 2],
  ] as const) {
    const folder = join(parent, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'demo.pid'), String(pid));
    utimesSync(folder, new Date(), new Date(Date.now() - days * day));
  }
  mkdirSync(join(parent, 'elsewhere'));
  symlinkSync(join(parent, 'elsewhere'), join(parent, 'culprit-demo-linked'));
  removeOld(parent, Date.now() + 1_000);
  const left = [
    'culprit-demo-in0use',
    'culprit-demo-linked',
    'culprit-demo-named-by-a-person',
    'culprit-demo-recent',
  ];
  t.same(readdirSync(parent).sort(), [...left, 'elsewhere']);
});

t.test('a default port in use is skipped, a requested one is an error', async (t) => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  t.teardown(() => server.close());
  const chosen = await choosePort(null, port);
  t.same(chosen, { port: 0, moved: true });
  await t.rejects(choosePort(port, 8001), { code: 'configuration', message: /already in use/ });
});

t.test('--repo: invalid arguments', async (t) => {
  const place = t.testdir({ empty: {} });
  const folder = ownRepository(join(place, 'own'));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--repo', folder], /either --crash FILE:LINE or -- COMMAND/],
    [['--crash', 'main.py:2'], /need --repo/],
    [['--repo', join(folder, 'nowhere'), '--crash', 'main.py:2'], /does not exist/],
    [['--repo', join(place, 'empty'), '--crash', 'main.py:2'], /not a git repository|has no file/],
    [['--repo', folder, '--crash', 'main.py'], /FILE:LINE/],
    [['--repo', folder, '--crash', 'other.py:1'], /no file other\.py/],
    [['--repo', folder, '--crash', 'main.py:6'], /has 5 lines, so it has no line 6/],
    [['--edge-port', 'x'], /--edge-port must be/],
    [['--nonsense'], /--nonsense/],
  ];
  for (const [args, message] of cases) {
    const started = async () => run(readFlags(args, 'demo', usage));
    await t.rejects(started(), { message }, args.join(' '));
  }
});
