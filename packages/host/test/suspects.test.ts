import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const culprit = join(root, 'packages/host/dist/bin/culprit.js');

/** A repository with a cart, its culprit, and unrelated changes. */
function story(directory: string) {
  mkdirSync(directory, { recursive: true });
  const git = (args: readonly string[], day = 1) =>
    execFileSync('git', [...args], {
      cwd: directory,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_DATE: `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`,
        GIT_COMMITTER_DATE: `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`,
      },
    }).trim();
  const commit = (day: number, message: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    git(['add', '-A']);
    git(['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', message], day);
    return git(['rev-parse', 'HEAD']);
  };
  git(['init', '-q', '-b', 'main']);
  const cart = (price: string) =>
    [
      'class Cart:',
      '    def total(self):',
      `        return sum(${price} for item in self.items)`,
      '',
      '',
    ].join('\n');
  commit(1, 'Start', { 'src/shop/cart.py': cart('item.price'), 'README.md': 'Shop\n' });
  git(['tag', 'v1.0.0']);
  commit(3, 'Ship parcels', { 'src/shop/ship.py': 'def ship():\n    pass\n' });
  const culpritSha = commit(9, 'Take amount of a price', { 'src/shop/cart.py': cart('item.price.amount') });
  const revision = commit(12, 'Say more', { 'README.md': 'Shop\nWith a cart.\n' });
  git(['tag', 'v1.1.0']);
  return { git, culpritSha, revision };
}

const run = promisify(execFile);
const env = { ...process.env, NO_COLOR: '1', REPOSITORY: '', GITHUB_TOKEN: '' };
async function cli(args: readonly string[], cwd: string) {
  try {
    const { stdout } = await run(process.execPath, [culprit, ...args], { cwd, env });
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

t.test('culprit map and culprit blame show every step', async (t) => {
  const directory = t.testdir();
  const { culpritSha, revision } = story(directory);
  const mapped = await cli(['map', '/srv/app/src/shop/cart.py', '--json'], directory);
  t.equal(mapped.code, 0, mapped.stderr);
  t.match(JSON.parse(mapped.stdout), {
    path: 'src/shop/cart.py',
    how: 'suffix',
    platform: 'python',
    revision: { sha: revision, how: 'head' },
    steps: [
      { step: 'own' },
      { step: 'clean', detail: 'srv/app/src/shop/cart.py' },
      { step: 'guess' },
      { step: 'result' },
    ],
  });
  const explicit = await cli(
    ['map', '/x/cart.py', '--mapping', '/x/=src/shop/', '--release', 'v1.0.0'],
    directory,
  );
  t.match(
    explicit.stdout,
    /mapping +\/x\/ → src\/shop\/: src\/shop\/cart\.py\n[\s\S]*result +src\/shop\/cart\.py, by mapping/,
  );
  t.match(explicit.stdout, /revision +[0-9a-f]{12}, by tag/);
  const none = await cli(['map', 'node:internal/process'], directory);
  t.equal(none.code, 3);
  t.match(none.stdout, 'result    no file');
  t.equal((await cli(['map'], directory)).code, 2);
  t.equal((await cli(['map', 'a', '--mapping', 'x'], directory)).code, 2);

  const blamed = await cli(
    [
      'blame',
      'src/shop/cart.py:3:total',
      '--error',
      "AttributeError: 'int' object has no attribute 'amount'",
      '--json',
    ],
    directory,
  );
  t.equal(blamed.code, 0, blamed.stderr);
  const result = JSON.parse(blamed.stdout) as {
    suspects: { sha: string; reasons: { text: string }[] }[];
    steps: { step: string }[];
  };
  t.equal(result.suspects[0]?.sha, culpritSha);
  t.match(
    result.suspects[0]?.reasons[0]?.text,
    'last changed line 3 of `src/shop/cart.py`, the crashed line',
  );
  t.strictSame(
    result.steps.map(({ step }) => step),
    ['tree', 'locate', 'blame', 'rank', 'owners'],
  );
  const shown = await cli(['blame', 'src/shop/cart.py:3'], directory);
  t.match(shown.stdout, `1.        ${culpritSha.slice(0, 12)} Take amount of a price (A, 2026-03-09)`);
  t.equal((await cli(['blame', 'src/shop/cart.py'], directory)).code, 2);
  t.equal((await cli(['blame', 'no/such/file.py:3'], directory)).code, 3);
});

t.test('culprit map and blame use a source map in the repository', async (t) => {
  const directory = t.testdir({
    src: { 'cart.ts': 'export const total = (order: Order) => order.price.amount;\n' },
    dist: {
      'app.js': 'const t=o=>o.price.amount;\n',
      'app.js.map': JSON.stringify({ version: 3, sources: ['../src/cart.ts'], names: [], mappings: 'AAAA' }),
    },
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@x.example', 'commit', '-qm', 'Add up a price');
  const mapped = await cli(['map', 'dist/app.js'], directory);
  t.match(mapped.stdout, /^map +dist\/app\.js\.map exists/m);
  const blamed = await cli(['blame', 'dist/app.js:1:18:t', '--platform', 'javascript', '--json'], directory);
  const { suspects, steps } = JSON.parse(blamed.stdout);
  t.strictSame(steps[1].detail.source_maps, ['dist/app.js:1:18 → src/cart.ts:1']);
  t.match(suspects[0].reasons[0].text, 'last changed line 1 of `src/cart.ts`, the crashed line');
});

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
