import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cli, root, run, story } from './support/suspects-kit.js';

t.test('the benchmark runs the whole pipeline over clones of either layout', async (t) => {
  const directory = t.testdir();
  const { culpritSha, revision } = story(join(directory, 'repos/acme/shop'));
  execFileSync('git', [
    'clone',
    '-q',
    '--bare',
    join(directory, 'repos/acme/shop'),
    join(directory, 'repos/acme+till/repo'),
  ]);
  const one = {
    repository: 'acme/shop',
    revision,
    language: 'python',
    tier: 'core',
    error: "AttributeError: 'int' object has no attribute 'amount'",
    frames: [{ path: 'src/shop/cart.py', line: 3, function: 'total' }],
    culprits: [culpritSha],
  };
  const lines = [
    one,
    { ...one, repository: 'acme/till', tier: 'native' },
    { ...one, repository: 'acme/gone' },
  ];
  const cases = join(directory, 'cases.jsonl');
  writeFileSync(cases, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const { stdout } = await run(
    process.execPath,
    ['bench/suspects.mjs', '--cases', cases, '--repos', join(directory, 'repos'), '--json'],
    { cwd: root },
  );
  t.match(stdout, '2 of 3 cases have a clone');
  t.match(stdout, 'No clone: acme/gone');
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as object;
  t.match(result, { core: { n: 1, r1: 1, r3: 1, r5: 1, mrr: 1, failed: 0 }, native: { n: 1, r1: 1 } });
});

t.test('the benchmark reports missing cases', async (t) => {
  const failed = run(process.execPath, ['bench/suspects.mjs', '--cache', join(t.testdir(), 'gone')], {
    cwd: root,
  });
  await t.rejects(failed, { code: 2, stderr: /does not exist/ });
});

t.test('culprit backtest measures the suspects on the fixes of a repository', async (t) => {
  const directory = join(t.testdir(), 'shop');
  const { git, culpritSha } = story(directory);
  const commit = (day: number, message: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
    git(['add', '-A']);
    git(['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', message], day);
    return git(['rev-parse', 'HEAD']);
  };
  const fixed = 'class Cart:\n    def total(self):\n        return sum(item.price for item in self.items)\n';
  const trace = [
    'Traceback (most recent call last):',
    '  File "/srv/app/src/shop/cart.py", line 3, in total',
    '    return sum(item.price.amount for item in self.items)',
    "AttributeError: 'int' object has no attribute 'amount'",
  ].join('\n');
  const quoted = commit(
    14,
    `Fix total <script>\n\n${trace}\n\nFixes: ${culpritSha.slice(0, 12)} ("Take")\n`,
    {
      'src/shop/cart.py': fixed,
    },
  );
  const lost = commit(15, 'Ship nothing', { 'src/shop/ship.py': 'def ship():\n    return None.x\n' });
  const prose = commit(16, `Fix crash when shipping\n\nThis was broken by commit ${lost.slice(0, 10)}.\n`, {
    'src/shop/ship.py': 'def ship():\n    return 1\n',
  });
  const reverted = commit(17, `Revert "Fix crash when shipping"\n\nThis reverts commit ${prose}.\n`, {
    'src/shop/ship.py': 'def ship():\n    return None.x\n',
  });
  commit(18, `Fix the words\n\nFixes: ${lost}\n`, { 'README.md': 'Shop\n' });
  commit(19, `Fix more\n\nFixes: ${'0'.repeat(40)}, deadbeef and 12345678\n`, {
    'src/shop/ship.py': 'x = 1\n',
  });
  commit(20, `Remove what was introduced in commit ${lost}\n`, { 'src/shop/ship.py': 'x = 2\n' });

  const page = join(directory, '..', 'page.html');
  const measured = await cli(['backtest', '--html', page, '--json'], directory);
  t.equal(measured.code, 0, measured.stderr);
  const result = JSON.parse(measured.stdout) as {
    headline: { cases: number; first: object; newest: object };
    groups: { name: string; cases: number }[];
    skipped: object;
    cases: { fix: { sha: string }; source: string; culprits: string[]; place: number | null }[];
  };
  t.same(
    result.cases.map(({ fix, source, culprits, place }) => [fix.sha, source, culprits, place]),
    [
      [reverted, 'revert', [prose], 1],
      [prose, 'fix', [lost], 1],
      [quoted, 'trace', [culpritSha], 1],
    ],
  );
  t.match(result.headline, { cases: 2, first: { right: 2, of: 2 }, newest: { right: 2 } });
  t.same(result.skipped, { no_code_changed: 1, no_place_found: 0, failed: 0 });

  const html = readFileSync(page, 'utf8');
  t.match(html, /<svg[\s\S]*Stack traces in messages[\s\S]*<\/svg>/);
  t.match(html, 'Fix total &lt;script&gt;');
  t.notMatch(html, /<script|https?:\/\//, 'nothing is loaded or run');

  const text = await cli(['backtest', '--cases', '2'], directory);
  t.match(text.stdout, /Lines that a fix changed +1 +100 % \(1 of 1\)/);
  git(['checkout', '-q', 'v1.1.0']);
  t.equal((await cli(['backtest'], directory)).code, 3, 'no fix names its culprit');
  t.equal((await cli(['backtest', '--repository', 'acme/shop'], directory)).code, 2);
  const unwritable = await cli(['backtest', '--repository', directory, '--html', directory], directory);
  t.not(unwritable.code, 0);
});
