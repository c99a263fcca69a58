import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { parseBlame, parseIgnoredNames } from '../../src/git/blame.js';
import { parseChangedFiles, parseDiff } from '../../src/git/change.js';
import { parseCommits, parseListed } from '../../src/git/commits.js';
import { linksFromRemote } from '../../src/git/links.js';
import { parseTree } from '../../src/git/objects.js';
import type { ProcessEnd, ProcessSpec } from '../../src/git/process.js';
import { revisionCandidates } from '../../src/git/revision.js';
import { createStarter } from '../../src/git/starter.js';
import { isoTime, isRepositoryPath, parseTimestamps, splitLines } from '../../src/git/text.js';
import { isAlive, until } from './support/processes.js';

const SHA = 'a'.repeat(40);

t.test('remotes: web pages without the address’s credentials', async (t) => {
  const page = (base: string) => `https://${base}/commit/{sha}`;
  for (const [remote, commit] of [
    ['https://github.com/acme/shop.git', page('github.com/acme/shop')],
    ['https://github.com/acme/shop/', page('github.com/acme/shop')],
    ['https://user:p%40ss@GitHub.com/acme/shop', page('github.com/acme/shop')],
    ['git@github.com:acme/shop.git', page('github.com/acme/shop')],
    ['github.com:acme/shop', page('github.com/acme/shop')],
    ['ssh://git@github.com:22/acme/shop.git', page('github.com/acme/shop')],
    ['git://github.com/acme/shop.js', page('github.com/acme/shop.js')],
    ['git@gitlab.com:acme/team/shop.git', 'https://gitlab.com/acme/team/shop/-/commit/{sha}'],
    ['https://x@bitbucket.org/acme/shop.git', 'https://bitbucket.org/acme/shop/commits/{sha}'],
    ['https://git.acme.example/acme/shop.git', null],
    ['/srv/git/shop.git', null],
    ['../shop.git', null],
    ['file:///srv/git/shop.git', null],
    ['ext::sh -c evil', null],
    ['https://github.com/acme', null],
    ['https://github.com/acme/../shop', null],
    ['https://github.com/acme/sh op', null],
    ['https://github.com/acme/"><script>', null],
    ['https://github.com@evil.example/acme/shop', null],
    ['https://github.com/acme/{sha}', null],
    ['', null],
  ]) {
    t.equal(linksFromRemote(remote ?? '').commit, commit ?? null, remote ?? '');
  }
});

t.test('property: revisions: every hint becomes a valid ref name', async (t) => {
  const allowed = /^(?:HEAD|[0-9a-f]{7,64}|refs\/tags\/[A-Za-z0-9@._+/-]+)\^\{commit\}$/;
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          '..',
          '@{',
          '^',
          '~1',
          ':',
          '\n',
          '\0',
          '-',
          '*',
          'v1',
          '@',
          '/',
          '.lock',
          'abcdef1',
          '+',
          ' ',
        ),
      )
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, text, (commit, release) => {
      for (const { expression } of revisionCandidates({ commit, release })) {
        if (!allowed.test(expression) || expression.includes('..') || expression.includes('@{')) {
          throw new Error(JSON.stringify(expression));
        }
      }
    }),
    { numRuns: 2_000 },
  );
  t.same(
    revisionCandidates({ commit: ' ABCDEF1 ', release: 'web@v1.2.3' }).map(({ expression }) => expression),
    [
      'abcdef1',
      'refs/tags/web@v1.2.3',
      'refs/tags/web@1.2.3',
      'refs/tags/web-v1.2.3',
      'refs/tags/web-1.2.3',
      'refs/tags/web/v1.2.3',
      'refs/tags/web/1.2.3',
      'refs/tags/v1.2.3',
      'refs/tags/1.2.3',
      'refs/tags/release-1.2.3',
      'refs/tags/release/1.2.3',
      'refs/tags/release-v1.2.3',
      'HEAD',
    ].map((name) => `${name}^{commit}`),
  );
});

t.test('property: parsers: any bytes give a valid result', async (t) => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\n',
      '\0',
      '\t',
      `${SHA} 1 1 2`,
      `${SHA} 9 9`,
      'committer-time 99999999999999999999',
      'filename x',
    ),
    fc.constantFrom(
      'diff --git a/x b/x',
      '@@ -1,9999999 +1 @@',
      '@@ -0,0 +1,2 @@ x',
      '+a',
      '-b',
      ' c',
      '\\ No newline',
      '\r',
    ),
    fc.constantFrom(
      `:100644 100644 ${SHA} ${SHA} M`,
      `:100644 100644 ${SHA} ${SHA} R100`,
      `100644 blob ${SHA}  12\tpath`,
      '1\t2\tx',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const bytes = fc.array(piece, { maxLength: 40 }).map((all) => Buffer.from(all.join('')));
  fc.assert(
    fc.property(bytes, bytes, fc.boolean(), (one, two, cut) => {
      let last = 0;
      for (const { start, end, committed_at } of parseBlame(one)) {
        if (end < start || Number.isNaN(Date.parse(committed_at))) throw new Error('range');
        last = end;
      }
      [...parseTree(one), ...parseTimestamps(one), ...parseIgnoredNames(one, cut), ...parseListed(one), last]
        .length;
      parseCommits(one);
      const { files } = parseDiff(parseChangedFiles(one), two, cut);
      for (const line of files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))) {
        if (!/^[ +-]/.test(line)) throw new Error(JSON.stringify(line));
      }
    }),
    { numRuns: 2_000 },
  );
  t.equal(isoTime('1767225600'), '2026-01-01T00:00:00.000Z');
  for (const wrong of ['', 'x', '9'.repeat(30), undefined])
    t.equal(isoTime(wrong), '1970-01-01T00:00:00.000Z');
  t.same(splitLines('a\r\nb\rc\n\n'), ['a', 'b\rc', '']);
  for (const path of ['', '/a', 'a/', 'a//b', './a', 'a/../b', '..', 'a\0', 'x'.repeat(5_000)])
    t.notOk(isRepositoryPath(path), path);
  for (const path of ['a', '-a', 'a b/c', '...', ':(glob)*', 'ü']) t.ok(isRepositoryPath(path), path);
});

t.test('parsers take linear time', async (t) => {
  const big = (unit: string) => Buffer.from(unit.repeat(Math.floor(2_000_000 / unit.length)));
  for (const unit of [
    '\n',
    '\0',
    '\t',
    'a',
    `${SHA} 1 1\n\tx\n`,
    '\ndiff --git ',
    '@@ -1,9 +1,9 @@\n',
    '+\n',
    '#',
    `${SHA}\n`,
  ]) {
    const from = process.cpuUsage();
    const bytes = big(unit);
    parseBlame(bytes);
    [...parseTree(bytes)].length;
    parseCommits(bytes);
    parseListed(bytes);
    parseIgnoredNames(bytes, false);
    parseDiff(parseChangedFiles(bytes), bytes, false);
    const ms = process.cpuUsage(from).user / 1_000;
    t.ok(ms < 8_000, `${JSON.stringify(unit)} took ${Math.round(ms)} ms`);
  }
});

t.test('commands are started by the helper process, or directly if it cannot run', async (t) => {
  const folder = t.testdir();
  const sh = (script: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
    file: '/bin/sh',
    args: ['-c', script],
    cwd: folder,
    env: {},
    input: '',
    maxBytes: 1_000,
    timeoutMs: 60_000,
    ...more,
  });
  const outputOf = (end: ProcessEnd) =>
    'stdout' in end ? Buffer.from(end.stdout).toString().trim() : end.kind;

  const starter = createStarter(new URL('../../dist/git/starter-process.js', import.meta.url));
  t.teardown(() => starter.close());
  const run = (spec: ProcessSpec) => starter.start(spec).ended;
  const parent = async () => Number(outputOf(await run(sh('echo $PPID'))));
  t.equal(await parent(), process.pid, 'the first commands do not wait for the helper process');
  let helper = process.pid;
  while (helper === process.pid) helper = await parent();
  t.match(await run(sh('cat; echo no >&2; exit 3', { input: 'yes' })), {
    kind: 'exited',
    code: 3,
    stdout: Buffer.from('yes'),
    stderr: 'no\n',
  });
  t.same(outputOf(await run(sh('yes', { maxBytes: 7 }))), 'y\ny\ny\ny', 'truncated at its limit');
  t.match(await run(sh('sleep 600', { timeoutMs: 50 })), { kind: 'late' });
  t.match(await run(sh('', { file: join(folder, 'none') })), { kind: 'not_started', code: 'ENOENT' });
  t.match(await run(sh('', { args: ['a\0b'] })), { kind: 'not_started', code: 'ERR_INVALID_ARG_VALUE' });

  const pidOf = async (name: string) => {
    await until(() => existsSync(join(folder, name)) && readFileSync(join(folder, name), 'utf8') !== '');
    return Number(readFileSync(join(folder, name), 'utf8'));
  };
  const unwanted = starter.start(sh('echo $$ > unwanted; exec sleep 600'));
  const pid = await pidOf('unwanted');
  unwanted.kill();
  await until(() => !isAlive(pid));

  const again = starter.start(sh('echo $PPID >> twice; [ $(wc -l < twice) = 2 ] && echo done || sleep 600'));
  await pidOf('twice');
  process.kill(helper, 'SIGKILL');
  t.equal(
    outputOf(await again.ended),
    'done',
    'commands of a helper process that died are run again directly',
  );
  const [first, second] = readFileSync(join(folder, 'twice'), 'utf8').trim().split('\n').map(Number);
  t.same([first, second], [helper, process.pid]);

  const without = createStarter(new URL('./none.js', import.meta.url));
  t.teardown(() => without.close());
  for (let n = 0; n < 15; n++) {
    t.equal(Number(outputOf(await without.start(sh('echo $PPID')).ended)), process.pid);
  }
});
