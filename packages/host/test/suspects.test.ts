import { execFileSync } from 'node:child_process';
import t from 'tap';
import { cli, story } from './support/suspects-kit.js';

t.test('culprit blame shows the mapping and every step', async (t) => {
  const directory = t.testdir();
  const { culpritSha, revision } = story(directory);
  const mapped = await cli(['blame', '/srv/app/src/shop/cart.py', '--json'], directory);
  t.equal(mapped.code, 0, mapped.stderr);
  t.match(JSON.parse(mapped.stdout), {
    path: 'src/shop/cart.py',
    how: 'suffix',
    platform: 'python',
    revision: { sha: revision, how: 'head' },
    mapping: [
      { step: 'own' },
      { step: 'clean', detail: 'srv/app/src/shop/cart.py' },
      { step: 'guess' },
      { step: 'result' },
    ],
  });
  const explicit = await cli(
    ['blame', '/x/cart.py', '--mapping', '/x/=src/shop/', '--release', 'v1.0.0'],
    directory,
  );
  t.match(
    explicit.stdout,
    /mapping +\/x\/ → src\/shop\/: src\/shop\/cart\.py\n[\s\S]*result +src\/shop\/cart\.py, by mapping/,
  );
  t.match(explicit.stdout, /revision +[0-9a-f]{12}, by tag/);
  const none = await cli(['blame', 'node:internal/process'], directory);
  t.equal(none.code, 3);
  t.match(none.stdout, 'result    no file');
  t.equal((await cli(['blame'], directory)).code, 2);
  t.equal((await cli(['blame', 'a', '--mapping', 'x'], directory)).code, 2);

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
  t.match(shown.stdout, /^result +src\/shop\/cart\.py, by exact/m);
  t.equal((await cli(['blame', 'no/such/file.py:3'], directory)).code, 3);
});

t.test('culprit blame says why there is no crashed revision', async (t) => {
  const directory = t.testdir();
  execFileSync('git', ['init', '-q'], { cwd: directory });
  const explained = await cli(['blame', 'src/shop/cart.py:3'], directory);
  t.equal(explained.code, 3, explained.stderr);
  t.match(explained.stdout, /^none +no_revision: /m);
  const json = await cli(['blame', 'src/shop/cart.py:3', '--json'], directory);
  t.match(JSON.parse(json.stdout), { path: null, no_suspect: { code: 'no_revision' } });
  const mapped = await cli(['blame', 'src/shop/cart.py'], directory);
  t.match(mapped, { code: 3, stdout: '', stderr: /The repository has no commits/ });
});

t.test('culprit blame uses a source map in the repository', async (t) => {
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
  const mapped = await cli(['blame', 'dist/app.js'], directory);
  t.match(mapped.stdout, /^map +dist\/app\.js\.map exists/m);
  const blamed = await cli(['blame', 'dist/app.js:1:18:t', '--platform', 'javascript', '--json'], directory);
  const { suspects, steps } = JSON.parse(blamed.stdout);
  t.strictSame(steps[1].detail.source_maps, ['dist/app.js:1:18 → src/cart.ts:1']);
  t.match(suspects[0].reasons[0].text, 'last changed line 1 of `src/cart.ts`, the crashed line');
});
