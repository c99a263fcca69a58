import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { buildWebshop, CULPRIT_TITLE, FORMATTER_TITLE, webshopHistory } from '../../src/demo/webshop.js';
import { buildRecipe, readRecipe } from '../../src/replay/recipe.js';

const NOW = new Date('2026-03-10T12:00:00Z');

t.test('the culprit in the demo repository is not the last change to the line', async (t) => {
  const folder = join(t.testdir(), 'webshop');
  const built = buildWebshop(folder, NOW);
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout;
  const shaOf = (title: string) => built.find((commit) => commit.title === title)?.sha ?? '';
  const blamed = (path: string, line: number, ...more: string[]) =>
    git('blame', '-w', '--porcelain', ...more, '-L', `${line},${line}`, 'HEAD', '--', path).slice(0, 40);

  t.equal(git('status', '--porcelain'), '', 'the work tree is the last commit');
  t.equal(git('fsck', '--strict'), '', 'git fsck finds no errors');
  t.ok(built.length >= 10);
  t.ok(new Set(built.map(({ author }) => author)).size >= 4);

  const crash = spawnSync(process.execPath, ['bin/checkout.js', 'orders/1043.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  t.equal(crash.status, 1);
  t.match(crash.stderr, "TypeError: Cannot read properties of undefined (reading 'percent')");
  const frames = [...crash.stderr.matchAll(/\((?:file:\/\/)?\S*\/webshop\/([\w/.]+):(\d+):\d+\)/g)].map(
    ([, path = '', line = '']) => ({ path, line: Number(line) }),
  );
  t.strictSame(
    frames.map(({ path }) => path),
    ['src/pricing/discounts.js', 'src/checkout.js', 'bin/checkout.js'],
  );

  const plain = frames.map(({ path, line }) =>
    git('blame', '--porcelain', '-L', `${line},${line}`, '--', path).slice(0, 40),
  );
  t.equal(plain[0], shaOf(FORMATTER_TITLE), 'plain blame of the crashed line names the formatter');
  const crashed = frames[0];
  t.equal(
    blamed('src/pricing/discounts.js', crashed?.line ?? 0, '--ignore-revs-file', '.git-blame-ignore-revs'),
    shaOf(CULPRIT_TITLE),
    'ignoring the formatter, it names the culprit',
  );
  const order = built.map(({ sha }) => sha);
  const newest = Math.max(...plain.map((sha) => order.indexOf(sha)));
  t.ok(newest > order.indexOf(shaOf(CULPRIT_TITLE)), 'the stack contains a newer line');
  t.not(order[newest], shaOf(FORMATTER_TITLE));
  t.not(order.at(-1), shaOf(CULPRIT_TITLE));
  t.match(
    git('log', '--diff-filter=R', '--name-status', '--format='),
    /R\d+\s+src\/promo.js\s+src\/pricing\/discounts.js/,
  );

  const fine = spawnSync(process.execPath, ['bin/checkout.js', 'orders/1042.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  t.equal(fine.status, 0, 'other orders work');
  t.match(fine.stdout, 'total 36.95 EUR');

  const again = buildWebshop(join(t.testdir(), 'again'), new Date(NOW.getTime() + 3_600_000));
  t.strictSame(again, built, 'the same SHAs on the same day');
});

t.test('before the culprit the order succeeded', async (t) => {
  const folder = join(t.testdir(), 'webshop');
  const history = webshopHistory(NOW);
  const upTo = history.findIndex(({ title }) => title === CULPRIT_TITLE);
  const orders = history.at(-1)?.write ?? {};
  const run = (count: number) => {
    const target = `${folder}-${count}`;
    const commits = [
      ...history.slice(0, count),
      { author: 'Ada Quist', at: '2026-03-09T18:00:00Z', title: 'order', write: orders },
    ];
    buildRecipe(commits, target);
    return spawnSync(process.execPath, ['bin/checkout.js', 'orders/1043.json'], {
      cwd: target,
      encoding: 'utf8',
    });
  };
  t.equal(run(upTo).status, 0);
  t.equal(run(upTo + 1).status, 1);
});

t.test('the scenarios of the web shop have its history', async (t) => {
  const moved = webshopHistory(new Date('2026-03-10T00:00:00Z'));
  for (const name of ['01-node-voucher', '16-three-doors']) {
    const file = new URL(`../../../../bench/scenarios/${name}/history.json`, import.meta.url);
    const commits = readRecipe(JSON.parse(readFileSync(file, 'utf8')), name);
    t.strictSame(
      commits.map((commit) => ({ ...commit, at: new Date(commit.at).toISOString() })),
      moved,
    );
  }
});
