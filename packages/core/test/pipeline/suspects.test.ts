import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import type { Frame } from '../../src/domain/event.js';
import { segmentsOf } from '../../src/pipeline/explain/phrases.js';
import { hunksOf, lineEdits } from '../../src/pipeline/line-diff.js';
import { cleanPath, isLibraryPath } from '../../src/pipeline/locate/clean-path.js';
import { DENIED_FILES, isDeniedPath } from '../../src/pipeline/locate/denied-path.js';
import { learnFrom, mergeLearned, readLearned, trusted } from '../../src/pipeline/locate/learned-mappings.js';
import { locateFrames } from '../../src/pipeline/locate/locate-frames.js';
import { indexTree } from '../../src/pipeline/locate/tree-index.js';
import { contentOf } from '../../src/pipeline/rank/change-content.js';
import { definitionIn } from '../../src/pipeline/rank/code-lines.js';
import { crashContext } from '../../src/pipeline/rank/crash-context.js';
import { isOnlyForm, lineBefore, squash } from '../../src/pipeline/rank/formatting.js';
import { historyReader } from '../../src/pipeline/rank/history-reader.js';
import { nearestHunk } from '../../src/pipeline/rank/hunk.js';
import { lookThrough } from '../../src/pipeline/rank/look-through.js';
import { verifyLine } from '../../src/pipeline/rank/positions.js';
import { rankCandidates } from '../../src/pipeline/rank/rank-candidates.js';
import { ageOf, reason, reasonShapes } from '../../src/pipeline/rank/reason-wording.js';
import type { Position, RankInput } from '../../src/pipeline/rank/types.js';
import { makeFrame } from '../../src/testing/builders.js';
import { memoryCodeHost } from '../../src/testing/memory-code-host.js';
import { CRASHED_LINE, CULPRIT_TITLE, SHOP } from './shop-history.js';

const signal = new AbortController().signal;
const NO_CRASH = crashContext({ type: null, value: null, frames: [] } as never, [], [], (text) => text);
const NO_CONTENT = contentOf({ sha: '', files: [], truncated: false }, new Map(), NO_CRASH);
const frame = (file: string | null, more: Partial<Frame> = {}) => makeFrame({ file, ...more });
const locate = (frames: readonly Frame[], paths: readonly string[], platform = 'node') =>
  locateFrames(frames, platform, [], indexTree(paths)).map(({ path, line, how }) => `${how} ${path}:${line}`);

t.test('frame paths map to repository paths', async (t) => {
  const cases: readonly (readonly [
    string,
    string,
    Partial<Frame>,
    string,
    readonly string[],
    string | null,
  ])[] = [
    ['exact', 'src/cart.js', {}, 'node', ['src/cart.js'], 'exact src/cart.js'],
    ['app scheme', 'app:///src/cart.js', {}, 'javascript', ['src/cart.js'], 'exact src/cart.js'],
    ['webpack', 'webpack://shop/./src/cart.js?a1b2', {}, 'javascript', ['src/cart.js'], 'suffix src/cart.js'],
    [
      'webpack-internal',
      'webpack-internal:///(rsc)/./src/cart.js',
      {},
      'node',
      ['src/cart.js'],
      'exact src/cart.js',
    ],
    ['file URL', 'file:///srv/app/src/cart.js', {}, 'node', ['src/cart.js'], 'suffix src/cart.js'],
    ['windows', 'C:\\work\\shop\\src\\Cart.cs', {}, 'csharp', ['src/Cart.cs'], 'suffix src/Cart.cs'],
    ['dots', '../../src/./a/../cart.js', {}, 'node', ['src/cart.js'], 'exact src/cart.js'],
    ['tilde', '~/src/cart.js', {}, 'javascript', ['src/cart.js'], 'exact src/cart.js'],
    ['url', 'https://shop.example/src/cart.js?v=3#x', {}, 'javascript', ['src/cart.js'], 'exact src/cart.js'],
    ['built', '/srv/dist/cart.js', {}, 'node', ['src/cart.ts', 'src/other.ts'], 'suffix src/cart.ts'],
    ['built, exact', 'dist/cart.js', {}, 'node', ['src/cart.tsx'], 'exact src/cart.tsx'],
    [
      'java',
      'Cart.java',
      { module: 'com.shop.cart.Cart$Line' },
      'java',
      ['app/src/main/java/com/shop/cart/Cart.java', 'old/Cart.java'],
      'suffix app/src/main/java/com/shop/cart/Cart.java',
    ],
    [
      'python module',
      '<unknown>',
      { module: 'shop.cart' },
      'python',
      ['src/shop/cart.py'],
      'suffix src/shop/cart.py',
    ],
    [
      'python file',
      '/usr/lib/python3/site-packages/shop/cart.py',
      { module: 'shop.cart' },
      'python',
      ['shop/cart.py'],
      'exact shop/cart.py',
    ],
    [
      'python package',
      'cart/__init__.py',
      { module: 'shop.cart' },
      'python',
      ['shop/cart/__init__.py', 'other/cart/__init__.py'],
      'exact shop/cart/__init__.py',
    ],
    [
      'go',
      '/home/ci/go/pkg/shop@v1.2.3/cart/cart.go',
      { in_app: true },
      'go',
      ['cart/cart.go'],
      'suffix cart/cart.go',
    ],
    ['ruby', '/app/lib/cart.rb', {}, 'ruby', ['lib/cart.rb'], 'suffix lib/cart.rb'],
    ['php', '/var/www/html/src/Cart.php', {}, 'php', ['src/Cart.php'], 'suffix src/Cart.php'],
    [
      'longest suffix',
      '/srv/b/src/cart.js',
      {},
      'node',
      ['a/src/cart.js', 'b/src/cart.js'],
      'suffix b/src/cart.js',
    ],
    ['ambiguous', '/srv/src/cart.js', {}, 'node', ['a/src/cart.js', 'b/src/cart.js'], null],
    [
      'not the tests',
      '/srv/src/cart.js',
      {},
      'node',
      ['a/src/cart.js', 'test/src/cart.js'],
      'suffix a/src/cart.js',
    ],
    ['one component is not enough', '/srv/x/cart.js', {}, 'node', ['src/cart.js'], null],
    ['a bare name is enough', 'cart.js', {}, 'node', ['src/cart.js'], 'suffix src/cart.js'],
    ['node internals', 'node:internal/process', {}, 'node', ['internal/process'], null],
    ['anonymous', '<anonymous>', {}, 'javascript', ['src/cart.js'], null],
    ['library', '/srv/node_modules/a/src/cart.js', { in_app: null }, 'node', ['src/cart.js'], null],
    ['not in app', 'src/cart.js', { in_app: false }, 'node', ['src/cart.js'], null],
    ['no line', 'src/cart.js', { line: null }, 'node', ['src/cart.js'], null],
  ];
  for (const [name, file, more, platform, paths, wanted] of cases) {
    t.strictSame(locate([frame(file, more)], paths, platform), wanted === null ? [] : [`${wanted}:12`], name);
  }
});

t.test('ties go to the top directory of the frames already found', async (t) => {
  const frames = [frame('/srv/src/util/cart.js'), frame('/srv/b/src/only.js', { line: 3 })];
  const paths = ['a/src/util/cart.js', 'b/src/util/cart.js', 'b/src/only.js'];
  t.strictSame(locate(frames, paths), ['suffix b/src/only.js:3', 'suffix b/src/util/cart.js:12']);
});

t.test('file names that are members of Object.prototype are handled', async (t) => {
  for (const name of ['constructor', 'a.constructor', '__proto__', 'src/x.toString', 'dist/hasOwnProperty']) {
    const path = name.replace('dist/', '');
    t.match(locate([frame(`/srv/${name}`)], [path, 'src/a.js']), [/./], name);
  }
});

t.test('mappings are tried first, the longest root first', async (t) => {
  const tree = indexTree(['packages/cart/src/a.js', 'src/a.js']);
  const mappings = [
    { stack_root: '/srv', source_root: '' },
    { stack_root: '/srv/cart/', source_root: 'packages/cart/src' },
  ];
  const [found] = locateFrames([frame('/srv/cart/a.js')], 'node', mappings, tree);
  t.match(found, { path: 'packages/cart/src/a.js', how: 'mapping' });
  const [other] = locateFrames([frame('/srv/src/a.js')], 'node', mappings, tree);
  t.match(other, { path: 'src/a.js', how: 'mapping' });
  t.strictSame(locateFrames([frame('/srvx/none.js')], 'node', mappings, tree), []);
});

t.test('a mapping that two files confirm is learned and resolves ambiguous names', async (t) => {
  const paths = ['a/src/x.js', 'b/src/x.js', 'b/src/one.js', 'b/src/two.js', 'a/src/y.js', 'b/src/y.js'];
  const frames = [
    frame('/srv/shop/src/x.js'),
    frame('/srv/shop/src/one.js', { line: 3 }),
    frame('/srv/shop/src/two.js', { line: 4 }),
  ];
  const tree = indexTree(paths);
  const located = locateFrames(frames, 'node', [], tree);
  t.match(
    located.find(({ frame: index }) => index === 0),
    { path: 'b/src/x.js', how: 'mapping' },
    'in the same crash',
  );
  const [learned] = trusted(mergeLearned([], learnFrom(located, frames)));
  t.match(learned, { stack_root: '/srv/shop/', source_root: 'b/' });
  const alone = [frame('/srv/shop/src/y.js')];
  t.strictSame(locateFrames(alone, 'node', [], tree), [], 'ambiguous by itself');
  t.match(locateFrames(alone, 'node', [], tree, learned ? [learned] : []), [{ path: 'b/src/y.js' }]);
  const one = learnFrom(located.slice(0, 1), frames);
  t.strictSame(trusted(one), [], 'one file is not enough');
  t.strictSame(readLearned('{"a":1}'), []);
  t.strictSame(readLearned('not json'), []);
  t.strictSame(readLearned(undefined), []);
  t.equal(readLearned(JSON.stringify(mergeLearned([], learnFrom(located, frames)))).length, 1);
});

t.test('a project that is installed as a package', async (t) => {
  const paths = ['lib/shop/cart.py', 'lib/vendor/requests/api.py', 'lib/puppet/util.rb', 'src/Log/Sink.cs'];
  const at = (file: string, platform: string, more: Partial<Frame> = {}) =>
    locate([frame(file, { in_app: false, ...more })], paths, platform);
  t.strictSame(at('/usr/lib/python3.9/site-packages/shop/cart.py', 'python'), ['suffix lib/shop/cart.py:12']);
  t.strictSame(at('/usr/lib/python3/dist-packages/requests/api.py', 'python'), [], 'carried along');
  t.strictSame(at('/usr/lib/python3/dist-packages/cart.py', 'python'), [], 'one component');
  t.strictSame(
    at('/opt/ruby/gems/puppet-6.1/lib/puppet/util.rb', 'ruby'),
    ['exact lib/puppet/util.rb:12'].map((one) => one.replace('exact', 'suffix')),
  );
  t.strictSame(at('/_/src/Log/Sink.cs', 'csharp', { module: 'Serilog.Sink' }), ['suffix src/Log/Sink.cs:12']);
});

t.test('crashed line first, each line once, at most 25', async (t) => {
  const frames = Array.from({ length: 300 }, (_, line) => frame('src/a.js', { line: (line % 30) + 1 }));
  const located = locateFrames(frames, 'node', [], indexTree(['src/a.js']));
  t.equal(located.length, 25);
  t.match(located[0], { frame: 299, line: 30 });
});

t.test('100,000 paths and hostile stacks are fast', async (t) => {
  const paths = Array.from({ length: 100_000 }, (_, n) => `packages/p${n % 500}/src/d${n}/index.js`);
  const frames = Array.from({ length: 250 }, (_, n) => frame(`/srv/x${n}/lib/dist/d${n * 7}/index.js`));
  const started = process.cpuUsage();
  locateFrames(frames, 'node', [], indexTree(paths));
  const ms = process.cpuUsage(started).user / 1_000;
  t.comment(`${Math.round(ms)} ms`);
  t.ok(ms < 3_000, 'less than three seconds of processor time');
  t.equal(cleanPath(`${'../'.repeat(2_000)}`), null);
  t.equal(cleanPath('x'.repeat(10_000)), null);
  t.equal(isLibraryPath('C:\\app\\node_modules\\a.js'), true);
});

t.test(
  'denied paths: the examples of every row, in any folder, in capitals, as backups and in other spellings',
  async (t) => {
    const spell: readonly ((path: string) => string)[] = [
      (path) => path,
      (path) => `srv/app/${path}`,
      (path) => path.toUpperCase(),
      (path) => `C:\\app\\${path.replaceAll('/', '\\')}`,
      (path) => `${path}.bak`,
      (path) => `${path}~`,
      (path) => path.replace(/./, (first) => `%${first.charCodeAt(0).toString(16)}`),
      (path) => path.replace(/./, (first) => `%25${first.charCodeAt(0).toString(16)}`),
      (path) => `${path}::$DATA`,
      (path) => `${path}. `,
      (path) => `${path}?raw#L3`,
      (path) => `./x//${path}`,
      (path) => path.replace(/.$/, (last) => `\u200b${String.fromCharCode(last.charCodeAt(0) + 0xfee0)}`),
    ];
    const open = DENIED_FILES.flatMap(({ examples }) => examples.split(' '))
      .flatMap((path) => (path === 'auth.json' ? [path] : spell.map((spelled) => spelled(path))))
      .filter((path) => !isDeniedPath(path));
    t.same(open, []);
    // By name, because a row that leaves the table takes its examples with it.
    const named = '.env prod.env .env-prod config/secrets.yml secrets/prod.yml aws_credentials deploy_key';
    t.same(
      named.split(' ').filter((path) => !isDeniedPath(path)),
      [],
    );
  },
);

t.test('denied paths: ordinary sources are read, and no path is slow', async (t) => {
  const ordinary = `src/env.ts src/keys.ts src/secrets.ts src/.environment.ts src/environment.prod.ts keyboard.js src/credentials/form.tsx
    lib/auth/password.rb app/models/credential.rb airflow/secrets/metastore.py com/acme/credentials/Provider.java src/api_keys.go
    src/service_account.ts docs/credentials.md docker/config.json .docker/app/Dockerfile kube/config.ts monkey.yml turkey.json
    scripts/password_fill templates/password_reset_subject.txt config/routes.rb config/application.yml config/auth.json
    appsettings.json wp-config-sample.php .config/dotnet-tools.json tokens.json public.crt Makefile authors.yml .github/workflows/ci.yml`;
  t.same(ordinary.split(/\s+/).filter(isDeniedPath), []);
  t.ok(isDeniedPath(`${'a/'.repeat(2_048)}index.js`), 'longer than a path can be');
  const trees: { paths: string[] }[] = JSON.parse(
    gunzipSync(
      readFileSync(new URL('../../../../bench/data/mapping-trees.json.gz', import.meta.url)),
    ).toString(),
  );
  const paths = trees.flatMap((tree) => tree.paths);
  const sources = paths.filter((path) =>
    /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|cs|php|swift|kt|c|cc|h|sh)$/.test(path),
  );
  t.comment(`${paths.length} paths of ${trees.length} repositories, ${sources.length} sources`);
  t.same(sources.filter(isDeniedPath), []);
  const started = process.cpuUsage();
  for (const part of ['.', '~', 'a/', 'secret.', '%2e', 'firebase-adminsdk', 'group_vars/']) {
    isDeniedPath(`group_vars/${part.repeat(4_096)}`.slice(0, 4_096));
  }
  t.ok(process.cpuUsage(started).user < 1_000_000);
});

t.test('drift: a line is verified, moved or unverified', async (t) => {
  const at = (line: number) =>
    ({ frame: 0, path: 'a.js', line, function: null, how: 'exact', verified: null }) as const;
  const lines = ['one()', '  two(x)', '}', 'two(y)', '}', 'last()'];
  const check = (line: number, context_line: string | null) => {
    const { line: now, verified } = verifyLine(at(line), frame('a.js', { context_line }), lines);
    return [now, verified];
  };
  t.strictSame(check(2, 'two(x)'), [2, true]);
  t.strictSame(check(2, 'two(x);'), [2, true], 'formatting does not matter');
  t.strictSame(check(5, 'two(x)'), [2, true], 'moved');
  t.strictSame(check(1, 'three()'), [1, false]);
  t.strictSame(check(1, '}'), [1, null], 'a bracket proves nothing');
  t.strictSame(check(1, null), [1, null]);
  t.strictSame(check(4, '{snip} wo(y) {snip}'), [4, true], 'truncated by the SDK');
  t.strictSame(verifyLine(at(9), frame('a', { context_line: 'x' }), null).verified, null);
});

t.test('formatting is distinguished from changes, and lines are traced through it', async (t) => {
  const file = (before: string[], after: string[], path = 'a.js') => ({
    path,
    old_path: path,
    status: 'modified' as const,
    hunks: hunksOf(lineEdits(before, after)),
  });
  const before = ['a', 'b', 'function f () {', 'return g("x", y)', '}', 'z'];
  const after = ['a', '', 'b', 'function f() {', '  return g(', "    'x',", '    y,', '  );', '}', 'z'];
  const formatted = file(before, after);
  t.equal(isOnlyForm(formatted), true);
  t.equal(lineBefore(formatted, 1, false), 1);
  t.equal(lineBefore(formatted, 3, false), 2, 'context between hunks');
  t.equal(lineBefore(formatted, 5, false), 4);
  t.equal(lineBefore(formatted, 6, false), 4, 'wrapped');
  t.equal(lineBefore(formatted, 10, false), 6);
  t.equal(isOnlyForm(file(['x = 1'], ['x = 2'])), false);
  t.equal(isOnlyForm(file(['  x = 1'], ['x = 1'], 'a.py')), false, 'indentation matters in Python');
  t.equal(lineBefore(file(['x = 1'], ['x = compute(1)']), 1, false), null);
  t.equal(
    lineBefore(file(['n = 1', 'x = total'], ['x = sum(total)']), 1, true),
    2,
    'the most similar path, if it is listed',
  );
  t.not(squash('"a b"'), squash('"ab"'));
  const twelve = (indent: string) => Array.from({ length: 12 }, (_, n) => `${indent}call(${n})`);
  const only = (added: string[], path: string, formatted = false) =>
    isOnlyForm(file(twelve('  '), [...added, ...twelve(formatted ? '    ' : '  ')], path));
  t.equal(only(['// why', '', '/* a', ' * long one', ' */'], 'a.ts'), true, 'comments');
  t.equal(only(['# why'], 'a.py'), true);
  t.equal(only(['# define X 1'], 'a.c'), false);
  t.equal(only(['/* a */ b()'], 'a.c'), false);
  t.equal(only(['* 2'], 'a.js'), false);
  t.equal(only(['//go:build linux'], 'a.go'), false, 'a comment with an effect');
  t.equal(only(['# frozen_string_literal: true', ''], 'a.rb'), false);
  t.equal(only(["'use strict'", ''], 'a.js', true), true, 'a directive among formatting');
  t.equal(only(["'use strict'", ''], 'a.js'), false, 'a directive alone');
  t.equal(only(["'use strict'", 'boot()'], 'a.js', true), false, 'code among formatting');
  const typo = file(['y = 1', 'x = a[i]  # may propogate'], ['y = 1', 'x = a[i]  # may propagate'], 'a.py');
  t.equal(isOnlyForm(typo), true, 'a comment at the end of a line');
  t.equal(lineBefore(typo, 2, false), 2);
  t.equal(isOnlyForm(file(['x = "a # b"'], ['x = "a # c"'], 'a.py')), false, 'the mark in a string');
  t.equal(isOnlyForm(file(['x = a # b'], ['x = c # b'], 'a.py')), false);
  t.equal(isOnlyForm(file(['f(a) // b'], ['f(a)'], 'a.go')), true);
  t.equal(isOnlyForm(file(['f(a) // b'], ['f(a)'], 'a.py')), false, 'an operator there');
});

t.test('owners are found behind formatters and renames, through the port alone', async (t) => {
  for (const ignored of [['Format everything'], []]) {
    const asked: string[] = [];
    const host = memoryCodeHost(SHOP, { ignored, before: (method) => void asked.push(method) });
    const head = host.sha('Say more in the README');
    const blame = await host.blame(host.repository, head, ['src/cart.js'], signal);
    const [file] = blame.files;
    if (!file) throw new Error('no file');
    const text = file.lines?.[CRASHED_LINE - 1] ?? null;
    const view = { path: file.path, line: CRASHED_LINE, ranges: file.ranges, text };
    const position: Position = { frame: 0, verified: null, lookedThrough: [], views: [view], ...view };
    const options = { repository: host.repository, diffBudget: 10, blameBudget: 4, signal };
    const reader = historyReader(host, options);
    const { positions, earlier } = await lookThrough([position], [file], new Set(blame.ignored), reader);
    t.strictSame(positions[0]?.lookedThrough, [host.sha('Format everything')]);
    t.equal(earlier[0]?.path, 'src/cart.js');
    const last = positions[0]?.views.at(-1);
    const owner = last?.ranges.find(({ start, end }) => start <= last.line && last.line <= end);
    t.equal(owner?.sha, host.sha(CULPRIT_TITLE));
    t.ok(asked.filter((method) => method === 'blame').length <= 5);
    const none = historyReader(host, { ...options, diffBudget: 0 });
    const blind = await lookThrough([position], [file], new Set(), none);
    t.strictSame(blind.positions[0]?.lookedThrough, [], 'no budget, no look');
    const diff = await host.diff(host.repository, host.sha(CULPRIT_TITLE), signal);
    const hunk = nearestHunk(diff, [...(positions[0]?.views ?? [])].reverse());
    t.equal(hunk?.path, 'lib/cart.js');
    t.ok((hunk?.lines.length ?? 99) <= 12);
    t.strictSame(
      hunk?.lines.filter(({ crashed }) => crashed).map(({ kind, text }) => `${kind} ${text.trim()}`),
      ['added sum += item.price.amount * (item.quantity || 1)'],
    );
  }
});

t.test('ranking: order, sums, filters, determinism', async (t) => {
  const day = (n: number) => new Date(Date.parse('2026-01-31T00:00:00.000Z') - n * 86_400_000).toISOString();
  const sha = (letter: string) => letter.repeat(40);
  const ranges = [
    { start: 1, end: 9, sha: sha('a'), committed_at: day(300) },
    { start: 10, end: 10, sha: sha('b'), committed_at: day(20) },
    { start: 11, end: 12, sha: sha('c'), committed_at: day(2) },
    { start: 13, end: 20, sha: sha('d'), committed_at: day(-1) },
    { start: 21, end: 30, sha: sha('e'), committed_at: day(1) },
  ];
  const view = { path: 'a.js', line: 10, ranges, text: null };
  const input: RankInput = {
    positions: [{ frame: 4, path: 'a.js', line: 10, verified: true, views: [view], lookedThrough: [] }],
    files: [{ path: 'a.js', ranges, history: [{ sha: sha('c'), committed_at: day(2) }], lines: null }],
    recent: [{ sha: sha('f'), committed_at: day(0) }],
    ignored: new Set([sha('e')]),
    crashedAt: day(0),
    previousRelease: null,
    native: false,
    changes: new Map(),
    crash: NO_CRASH,
  };
  const ranked = rankCandidates(input);
  t.strictSame(
    ranked.map((one) => one.sha[0]).sort(),
    ['a', 'b', 'c', 'f'],
    'ignored and later commits are excluded',
  );
  for (const { components, score } of ranked) {
    const sum = Object.values(components).reduce((total, part) => total + part, 0);
    t.ok(Math.abs(sum - score) < 0.001, 'the score is the sum of its components');
  }
  const all = ranked.reduce((sum, { probability }) => sum + probability, 0);
  t.ok(all > 0.1 && all < 1, 'some probability is left for none of these');
  t.strictSame(rankCandidates({ ...input, files: [...input.files].reverse() }), ranked);
  const facts = { content: { ...NO_CONTENT, size: 3, touchesFile: true }, title: '', message: [] };
  const mentioning = { ...facts.content, added: ['total_price'] };
  const changes = new Map([
    [sha('b'), { ...facts, content: mentioning, ownChange: true }],
    [sha('c'), { ...facts, ownChange: true }],
    [sha('a'), { ...facts, ownChange: false }],
  ]);
  const second = rankCandidates({ ...input, changes });
  t.equal(second[0]?.sha, sha('b'), 'the owner whose diff mentions the crash');
  t.notOk(
    second.some((one) => one.sha === sha('a')),
    'a commit that made no change itself',
  );
  t.strictSame(second[0]?.frames, [4]);
  const tie = { sha: sha('9'), committed_at: day(0) };
  const ties = rankCandidates({ ...input, files: [], positions: [], recent: [...input.recent, tie] });
  t.strictSame(
    ties.map((one) => one.sha[0]),
    ['9', 'f'],
    'ties by SHA',
  );
  t.strictSame(rankCandidates({ ...input, files: [], positions: [], recent: [] }), []);
  const release = rankCandidates({ ...input, previousRelease: day(10) });
  t.strictSame(
    release
      .filter(({ inWindow }) => inWindow)
      .map((one) => one.sha[0])
      .sort(),
    ['c', 'f'],
    'committed after the previous release',
  );
  const saying = (type: string, value: string) =>
    rankCandidates({
      ...input,
      crash: crashContext({ type, value, frames: [] } as never, [], [], (text) => text),
    })[0];
  const [usual, outside] = [saying('RangeError', '7'), saying('TimeoutError', 'timed out')];
  t.equal(outside?.sha, usual?.sha);
  t.ok((outside?.probability ?? 1) < (usual?.probability ?? 0), 'an error of the environment is no commit’s');
  t.strictSame([0.01, 0.05, 0.9, 1, 2.9].map(ageOf), [
    'less than an hour',
    '1 hour',
    '21 hours',
    '1 day',
    '2 days',
  ]);
});

t.test(
  'a reason’s text is its wording with its parameters, and is in the vocabulary of explanations',
  (t) => {
    const line = { path: 'a.js', line: 3, role: 'cause_stack' } as const;
    for (const [fact, text] of [
      [{ code: 'last_changed_line', ...line }, 'last changed line 3 of `a.js`, a line in the cause’s stack'],
      [
        { code: 'changed_nearby', ...line, role: 'crashed', distance: 2 },
        'changed code 2 lines away from line 3 of `a.js`, the crashed line',
      ],
      [{ code: 'age', days: 1.5 }, 'was committed 1 day before the crash'],
      [{ code: 'diff_mentions', words: ['a', 'b', 'c', 'd'] }, 'mentions `a`, `b`, `c` in its diff'],
      [
        { code: 'before_formatting', sha: '0123456789' },
        'precedes formatting commit `0123456`, which was skipped',
      ],
      [{ code: 'touches_file' }, 'changes a file in the stack'],
    ] as const) {
      t.strictSame(reason(fact), { ...fact, text });
      t.ok(reasonShapes().includes(text.replace(/`[^`]*`/g, '{}').replace(/\d+/g, '#')), text);
      t.ok(segmentsOf(`It ${text}.`), text);
    }
    t.end();
  },
);

t.test('native traces: owners first, the newest before the older, then the nearer', async (t) => {
  const at = (n: number) => new Date(Date.parse('2026-01-31T00:00:00.000Z') - n * 86_400_000).toISOString();
  const commit = (letter: string, days: number) => ({ sha: letter.repeat(40), committed_at: at(days) });
  const ranges = [
    { start: 1, end: 1, ...commit('a', 4000) },
    { start: 2, end: 2, ...commit('b', 1) },
    { start: 10, end: 10, ...commit('c', 900) },
    { start: 40, end: 40, ...commit('d', 900) },
    { start: 50, end: 90, ...commit('e', 3) },
  ];
  const position = (frame: number, line: number): Position => {
    const view = { path: 'a.c', line, ranges, text: null };
    return { frame, path: 'a.c', line, verified: null, views: [view], lookedThrough: [] };
  };
  const ranked = rankCandidates({
    positions: [position(2, 1), position(1, 10), position(0, 40)],
    files: [
      { path: 'a.c', ranges, history: [commit('b', 1), commit('e', 3), commit('d', 900)], lines: null },
    ],
    recent: [commit('f', 0)],
    ignored: new Set(),
    crashedAt: at(0),
    previousRelease: null,
    native: true,
    changes: new Map(),
    crash: NO_CRASH,
  });
  t.equal(
    ranked.map(({ sha }) => sha[0]).join(''),
    'dcabef',
    'owners; equal times are ordered by the file’s history',
  );
  t.match(ranked[0]?.components, { owner: 20, near: 10 });
});

t.test('the last change of words in the crash', async (t) => {
  const at = (n: number) => new Date(Date.parse('2026-01-31T00:00:00.000Z') - n * 86_400_000).toISOString();
  const recent = ['a', 'b', 'c', 'd'].map((letter, n) => ({ sha: letter.repeat(40), committed_at: at(n) }));
  const facts = (added: readonly string[]) => ({
    content: { ...NO_CONTENT, added },
    title: '',
    message: [],
    ownChange: true,
  });
  const [a = '', b = '', c = ''] = recent.map(({ sha }) => sha);
  const changes = new Map([
    [a, facts(['rare'])],
    [b, facts(['rare', 'other'])],
    [c, facts([])],
  ]);
  const input: RankInput = {
    positions: [],
    files: [],
    recent,
    ignored: new Set(),
    crashedAt: at(0),
    previousRelease: null,
    native: false,
    changes,
    crash: NO_CRASH,
  };
  const of = (sha: string) => rankCandidates(input).find((one) => one.sha === sha)?.components ?? {};
  t.ok((of(a).newest ?? 0) > 0);
  t.ok(
    (of(b).newest ?? 0) > (of(a).newest ?? 0) / 2,
    'one word is only in this commit, one also in a newer one',
  );
  t.notOk(of(c).newest);
  t.notOk(of('d'.repeat(40)).newest, 'not read');
  t.equal(rankCandidates({ ...input, changes: new Map() })[0]?.sha, a, 'nothing known: the newest');
});

t.test('definitions are recognised in the common forms of most languages', async (t) => {
  for (const [line, name, parameters] of [
    ['const total = (cart) => {', 'total', '(cart)'],
    ['export const total = async (cart: Cart): Promise<number> => {', 'total', '(cart:Cart)'],
    ['exports.total = function (cart) {', 'total', '(cart)'],
    ['  total: (cart) => cart.sum,', 'total', '(cart)'],
    ['const total: Counter = (cart) => {', 'total', '(cart)'],
    ['function* total(cart) {', 'total', '(cart)'],
    ['def self.total(cart)', 'total', '(cart)'],
    ['def total[T](cart: T): Int = {', 'total', '(cart:T)'],
    ['fun <T> Cart<T>.total(rate: Int): Int {', 'total', '(rate:Int)'],
    ['func (s *Server) Total(cart *Cart) int {', 'Total', '(cart*Cart)'],
    ['public int Total(Cart cart) => cart.Sum;', 'Total', '(Cartcart)'],
  ] as const)
    t.strictSame(definitionIn(line), { name, parameters }, line);
  for (const line of [
    'const items = list.map((x) => x.id)',
    'const rate = rateOf(order.country)',
    'app.get("/cart", (request, response) => {',
    'return (cart) => cart.sum',
    'items.forEach((item) => {',
    'if (a == b) {',
  ])
    t.equal(definitionIn(line), null, line);
});
