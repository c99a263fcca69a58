import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BlamedFile } from '@culprit/core/internal/ports/code-host';
import { codeHostContract, sampleHistory } from '@culprit/core/testing';
import t from 'tap';
import { temporaryFolder } from '../../../../bench/faults/lib/folders.mjs';
import { closeAll, gitHost, gitParts, signal } from './support/context.js';
import { isAlive, until } from './support/processes.js';
import { buildFixtureRepository, makeRepository } from './support/repository.js';

const LATE = '2030-01-01T00:00:00.000Z';
const isAllowed = () => true;
const NO_HINTS = { commit: null, release: null, at: LATE };

t.teardown(closeAll);

t.test('fulfils the code host contract', async (t) => {
  const folder = t.testdir();
  const { path } = buildFixtureRepository(join(folder, 'shop'), sampleHistory);
  const subject = {
    codeHost: await gitHost(),
    repository: path,
    unknownRepository: join(folder, 'nowhere'),
    history: sampleHistory,
  };
  for (const law of codeHostContract) await t.test(law.name, () => law.run(async () => subject));
});

t.test('a bare repository gives the same results', async (t) => {
  const folder = t.testdir();
  const { path } = buildFixtureRepository(join(folder, 'shop'), sampleHistory);
  const bare = join(folder, 'shop.git');
  execFileSync('git', ['clone', '-q', '--bare', path, bare]);
  const linked = join(folder, 'linked');
  execFileSync('git', ['-C', path, 'worktree', 'add', '-q', linked, 'HEAD']);
  const codeHost = await gitHost();
  const head = sampleHistory.make.at(-1)?.sha ?? '';
  const asked = ['src/basket.ts', 'notes.txt'];
  const expected = await codeHost.blame(path, head, asked, signal);
  for (const repository of [bare, linked]) {
    t.same(await codeHost.blame(repository, head, asked, signal), expected);
    t.same((await codeHost.tree(repository, NO_HINTS, signal)).paths, sampleHistory.paths);
  }
});

t.test('blame agrees with git blame --line-porcelain for 50 files of a varied history', async (t) => {
  const repository = makeRepository(t.testdir());
  const random = randomNumbers(7);
  const names = Array.from({ length: 50 }, (_, i) => `src/part ${i % 7}/файл-${i}.ts`);
  const contents = new Map(
    names.map((name) => [name, Array.from({ length: 5 + random(60) }, (_, i) => `${name} ${i}`)]),
  );
  for (let round = 0; round < 10; round += 1) {
    const files: Record<string, string | null> = {};
    for (const name of [...contents.keys()].filter(() => round === 0 || random(4) === 0)) {
      const lines = contents.get(name) ?? [];
      if (round > 0) edit(lines, round, random);
      if (round % 5 === 4 && random(3) === 0) {
        contents.delete(name);
        files[name] = null;
        contents.set(`${name}.moved`, lines);
        files[`${name}.moved`] = textOf(lines, random);
      } else {
        files[name] = textOf(lines, random);
      }
    }
    const at = `2026-02-${String(round + 1).padStart(2, '0')}T00:00:00Z`;
    repository.commit(files, { message: `Round ${round}`, at });
  }
  const head = repository.git('rev-parse', 'HEAD');
  const paths = [...contents.keys()];
  const { files } = await (await gitHost()).blame(repository.path, head, paths, signal);
  t.equal(files.length, 50);
  for (const [index, file] of files.entries()) {
    t.equal(file.status, 'ok', file.path);
    const plain = repository.git('blame', '--line-porcelain', head, '--', file.path);
    t.same(
      shasByLine(file),
      [...plain.matchAll(/^([0-9a-f]{40}) \d+ \d+/gm)].map((match) => match[1]),
      file.path,
    );
    if (index % 5 !== 0) continue;
    const log = repository.git('log', '-20', '--format=%H', head, '--', file.path);
    t.same(
      file.history.map(({ sha }) => sha),
      log.split('\n'),
      file.path,
    );
  }
});

t.test('files that are not plain text at the revision are reported', async (t) => {
  const repository = makeRepository(t.testdir());
  const inner = makeRepository(join(repository.path, 'vendor'));
  inner.commit({ a: 'a\n' });
  writeFileSync(join(repository.path, 'target'), 'x');
  symlinkSync('target', join(repository.path, 'link'));
  repository.git('add', 'vendor', 'link');
  const sha = repository.commit({
    many: 'line\n'.repeat(20_001),
    wide: `${'x'.repeat(2 * 1024 * 1024)}\n`,
    'no newline': 'one\ntwo',
    'la\ttin\n': Buffer.from([0x63, 0xe9, 0x0a]),
    'binary.ts': Buffer.from('a\0b'),
  });
  const codeHost = await gitHost();
  const paths = ['many', 'wide', 'no newline', 'la\ttin\n', 'binary.ts', 'link', 'vendor', 'vendor/a'];
  const { files } = await codeHost.blame(repository.path, sha, paths, signal);
  t.same(
    files.map(({ path, status, lines, ranges }) => [path, status, lines, ranges.at(-1)?.end ?? null]),
    [
      ['many', 'ok', null, 20_001],
      ['wide', 'ok', null, 1],
      ['no newline', 'ok', ['one', 'two'], 2],
      ['la\ttin\n', 'ok', ['c\ufffd'], 1],
      ['binary.ts', 'skipped', null, null],
      ['link', 'skipped', null, null],
      ['vendor', 'skipped', null, null],
      ['vendor/a', 'missing', null, null],
    ],
  );
  const tree = await codeHost.tree(repository.path, NO_HINTS, signal);
  t.notOk(tree.paths.includes('vendor') || tree.paths.includes('link'), 'submodules and links are not files');
  const diff = await codeHost.diff(repository.path, sha, signal);
  t.equal(diff.truncated, true, 'very large files are left out, and the result says it is truncated');
  t.same(diff.files.find(({ path }) => path === 'many')?.hunks, []);
  t.same(diff.files.find(({ path }) => path === 'binary.ts')?.hunks, []);
  t.same(diff.files.find(({ path }) => path === 'la\ttin\n')?.hunks[0]?.lines, ['+c\ufffd']);
});

t.test('content that looks like a diff is not parsed as one; a change of type is one file', async (t) => {
  const repository = makeRepository(t.testdir());
  const tricky = ['--- a/x', '+++ b/x', '@@ -1 +1 @@', 'diff --git a/x b/x', '-- ', '++'].join('\n');
  repository.commit({ 'a b/x': 'old\n', kind: 'file\n', gone: 'bye' });
  rmSync(join(repository.path, 'kind'));
  symlinkSync('a b', join(repository.path, 'kind'));
  repository.git('add', 'kind');
  const sha = repository.commit({ 'a b/x': `${tricky}\n`, gone: null, 'new\nfile': 'n\n' });
  const { files, truncated } = await (await gitHost()).diff(repository.path, sha, signal);
  t.equal(truncated, false);
  t.same(
    files.map(({ path, status, hunks }) => [path, status, hunks.flatMap(({ lines }) => lines)]),
    [
      ['a b/x', 'modified', ['-old', ...tricky.split('\n').map((line) => `+${line}`)]],
      ['gone', 'removed', ['-bye']],
      ['kind', 'modified', ['-file', '+a b']],
      ['new\nfile', 'added', ['+n']],
    ],
  );
});

t.test('a repository cannot run anything', async (t) => {
  const folder = t.testdir();
  const repository = makeRepository(join(folder, 'hostile'));
  const marker = join(folder, 'marker');
  // git runs these settings in a shell, which would split a path with a space, such as the clone's own.
  const outside = temporaryFolder(t, 'trap');
  const program = join(outside, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${marker}'\ncat 2>/dev/null\nexit 0\n`);
  chmodSync(program, 0o755);
  const base = repository.commit({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  const text = `tree ${repository.git('rev-parse', `${base}^{tree}`)}
parent ${base}
author A <a@b> 1767225600 +0000
committer A <a@b> 1767225600 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 
 x
 -----END PGP SIGNATURE-----

Signed
`;
  writeFileSync(join(folder, 'commit'), text);
  repository.git(
    'update-ref',
    'HEAD',
    repository.git('hash-object', '-t', 'commit', '-w', join(folder, 'commit')),
  );
  const sha = repository.commit({
    'a.txt': 'one\ntwo\n',
    '.gitattributes': '* diff=evil filter=evil merge=evil\n',
    '.mailmap': 'Eve <e@x> <test@example.org>\n',
    '.git-blame-ignore-revs': `${base}\n`,
  });
  writeFileSync(join(repository.path, '.git/info/attributes'), '* diff=evil filter=evil\n');
  writeFileSync(join(repository.path, '.git/config.extra'), `[core]\n\tpager = ${program}\n`);
  const settings = {
    'core.fsmonitor': program,
    'core.sshCommand': program,
    'core.pager': program,
    'core.editor': program,
    'core.askPass': program,
    'core.gitProxy': program,
    'core.hooksPath': folder,
    'core.worktree': folder,
    'pager.log': program,
    'pager.blame': program,
    'diff.external': program,
    'diff.evil.textconv': program,
    'diff.evil.command': program,
    'filter.evil.clean': program,
    'filter.evil.smudge': program,
    'filter.evil.process': program,
    'filter.evil.required': 'true',
    'gpg.program': program,
    'log.showSignature': 'true',
    'alias.log': `!${program}`,
    'alias.blame': `!${program}`,
    'alias.cat-file': `!${program}`,
    'credential.helper': `!${program}`,
    'include.path': 'config.extra',
    'blame.ignoreRevsFile': '.git-blame-ignore-revs',
    'mailmap.file': join(folder, 'none'),
    'log.follow': 'true',
    'log.date': 'relative',
    'diff.noprefix': 'true',
    'diff.orderFile': join(folder, 'none'),
    'diff.context': '0',
    'diff.renames': 'false',
    'i18n.logOutputEncoding': 'UTF-16',
    'color.ui': 'always',
    'core.abbrev': '4',
    'protocol.ext.allow': 'always',
    'protocol.file.allow': 'always',
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'origin',
    'remote.origin.url': `ext::${program} %S`,
    'remote.origin.promisor': 'true',
    'remote.origin.uploadpack': program,
    'remote.origin.vcs': 'evil',
  };
  for (const [key, value] of Object.entries(settings)) repository.git('config', key, value);
  const oid = execFileSync('git', ['rev-parse', `${sha}:b.txt`], {
    cwd: join(repository.path, '.git'),
    encoding: 'utf8',
  }).trim();
  rmSync(join(repository.path, '.git/objects', oid.slice(0, 2), oid.slice(2)));

  const codeHost = await gitHost();
  const tree = await codeHost.tree(
    repository.path,
    { commit: 'f'.repeat(40), release: 'x@1', at: LATE },
    signal,
  );
  t.same(tree.paths, ['.git-blame-ignore-revs', '.gitattributes', '.mailmap', 'a.txt', 'b.txt']);
  const { files, recent } = await codeHost.blame(repository.path, sha, ['a.txt', 'b.txt'], signal);
  t.equal(files[0]?.detail, null);
  t.match(files[0], {
    status: 'ok',
    ranges: [
      { start: 1, end: 1, sha: base },
      { start: 2, end: 2, sha },
    ],
  });
  t.match(files[1], { status: 'failed', detail: /missing/ }, 'what a partial clone lacks is not fetched');
  t.equal(recent.length, 3);
  const [commit] = await codeHost.commits(repository.path, [sha], signal);
  t.match(commit, { author: { name: 'Test' }, additions: 4, deletions: 0, url: null });
  const diff = await codeHost.diff(repository.path, sha, signal);
  t.same(diff.files.at(-1)?.hunks[0]?.lines, [' one', '+two']);
  const { questions } = codeHost;
  t.equal(await questions?.contained(repository.path, sha, base.slice(0, 9), signal), base);
  t.same(await questions?.lines(repository.path, sha, 'a.txt', signal), ['one', 'two']);
  const found = await questions?.search?.(
    repository.path,
    sha,
    { text: 'tw?o', pattern: true, path: 'a.txt', most: 5, isAllowed },
    signal,
  );
  t.same(found, { found: [{ path: 'a.txt', line: 2, text: 'two' }], more: false });
  for (const query of [
    { text: 'two' },
    { text: 'tw?o', pattern: true },
    { path: 'a.txt', lines: { from: 2, to: 2 } },
  ]) {
    const history = await questions?.history?.(
      repository.path,
      sha,
      { path: 'a.txt', most: 5, isAllowed, ...query },
      signal,
    );
    t.same(
      history?.found.map((one) => one.sha),
      [sha],
    );
  }
  t.notOk(existsSync(marker), existsSync(marker) ? readFileSync(marker, 'utf8') : 'no program ran');

  for (const key of [
    'core.worktree',
    'diff.orderFile',
    'extensions.partialClone',
    'remote.origin.promisor',
  ]) {
    execFileSync('git', ['config', '--file', join(repository.path, '.git/config'), '--unset', key]);
  }
  try {
    execFileSync('git', ['-C', repository.path, 'log', '-p'], { stdio: 'ignore' });
  } catch {}
  t.ok(existsSync(marker), 'the control: plain git does run it');
});

t.test('questions about a hostile repository have bounded answers about its own content', async (t) => {
  const repository = makeRepository(t.testdir());
  const names = ['-rf', ':(glob)**', 'new\nline', '--output=x', 'HEAD'];
  const one = repository.commit(
    {
      ...Object.fromEntries(names.map((name) => [name, `needle in ${name.length}\n`])),
      'b.bin': 'needle\0\n',
    },
    { message: 'One \u001b[31m\u0007\u009b red' },
  );
  const long = 'a b '.repeat(12_500_000);
  const two = repository.commit({ 'long.txt': `${long}needle\n` }, { message: 'Two' });
  const three = repository.commit({ 'new.txt': 'needle\n' }, { message: 'Three' });
  repository.git('replace', one, three);
  writeFileSync(join(repository.path, '.git/info/grafts'), `${three}\n`);
  repository.git('update-ref', `refs/heads/${one.slice(0, 10)}`, three);

  const { questions } = await gitHost();
  const ask = async (query: object, revision = two) =>
    questions?.search?.(
      repository.path,
      revision,
      { text: 'needle', pattern: false, most: 40, isAllowed, ...query },
      signal,
    );
  t.same(((await ask({}, one))?.found ?? []).map(({ path }) => path).sort(), [...names].sort());
  for (const name of names) {
    t.same((await ask({ path: name }))?.found, [{ path: name, line: 1, text: `needle in ${name.length}` }]);
    t.same(await questions?.lines(repository.path, two, name, signal), [`needle in ${name.length}`]);
    const history = await questions?.history?.(
      repository.path,
      two,
      { path: name, most: 5, isAllowed },
      signal,
    );
    t.match(history, { found: [{ sha: one, title: 'One  [31m  red' }], more: false });
  }
  t.equal(await questions?.contained(repository.path, two, one.slice(0, 10), signal), one);
  t.equal(await questions?.contained(repository.path, two, three, signal), null);
  t.equal(await questions?.contained(repository.path, three, one, signal), one, 'no graft counts');
  t.equal(await questions?.lines(repository.path, two, 'long.txt', signal), null);
  const wide = await ask({ path: 'long.txt' });
  t.equal(wide?.more, true, 'the line is longer than what is read');
  t.match(wide?.found, [{ path: 'long.txt', line: 1 }]);
  t.ok((wide?.found[0]?.text.length ?? 0) <= 2_000);

  const bomb = '(((a{1,100}){1,100}){1,100})x';
  for (const text of [bomb, '(a*)\\1', 'a{1,9999}', '(', '\0'])
    await t.rejects(ask({ text, pattern: true }), { code: 'malformed' }, text);
  const history = async (text: string, by = questions) =>
    by?.history?.(repository.path, two, { text, pattern: true, most: 5, isAllowed }, signal);
  for (const text of [bomb, '(a*)\\1', '('])
    await t.rejects(async () => void (await history(text)), { code: 'malformed' }, text);
  const hasty = (await gitHost({ timeoutMs: 1_500 })).questions;
  const slow = '(.*a.*b.*){1,20}zz';
  const query = { text: slow, pattern: true, most: 5, isAllowed };
  const searched = async () => void (await hasty?.search?.(repository.path, two, query, signal));
  await t.rejects(searched, { code: 'timed_out' });
  t.same(await history(slow, hasty), { found: [], more: false }, 'a file of 50 MB is not read');
});

t.test('files that are not allowed change no answer', async (t) => {
  const repository = makeRepository(t.testdir());
  const lines = Array.from({ length: 12 }, () => `common ${'x'.repeat(500_000)}\n`).join('');
  repository.commit({ 'z.ts': 'a common word\n', 'c.ts': lines }, { message: 'Code' });
  for (const key of [1, 2]) repository.commit({ 'a.ts': `a common word\n${key}\n`, '.env': `KEY=h${key}\n` });
  repository.commit({ '.env': 'KEY=hunter2\n'.repeat(30) });
  const head = repository.commit({ 'b.ts': 'a common word\n' });
  const { questions } = await gitHost();
  const query = { pattern: true, isAllowed: (path: string) => path !== '.env' };
  const answers = (text: string) =>
    Promise.all(
      [1, 2, 3, 10].flatMap((most) => [
        questions?.search?.(repository.path, head, { ...query, text, most }, signal),
        questions?.history?.(repository.path, head, { ...query, text, most }, signal),
      ]),
    );
  const wrong = await answers('common word|^KEY=x');
  t.same(await answers('common word|^KEY=h'), wrong);
  t.match(wrong.at(-1), { found: { length: 3 }, more: false });
  const many = { ...query, text: 'common', most: 40 };
  const kept = await questions?.search?.(repository.path, head, many, signal);
  t.match(kept, { found: { length: 11 }, more: true }, 'what is kept is bounded');
});

t.test('a history that takes too long has what was found in time', async (t) => {
  const folder = t.testdir();
  const repository = makeRepository(join(folder, 'r'));
  const one = repository.commit({ 'a.ts': 'a\n' }, { message: 'One' });
  const two = repository.commit({ 'a.ts': 'a b\n' }, { message: 'Two' });
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const slow = join(folder, 'git');
  const log = `'${real}' "$@"; exec sleep 600`;
  writeFileSync(slow, `#!/bin/sh\ncase "$*" in *" log "*) ${log};; *) exec '${real}' "$@";; esac\n`);
  chmodSync(slow, 0o755);
  const { questions } = await gitHost({ gitBinary: slow, timeoutMs: 1_500 });
  const ask = async (text: string) =>
    questions?.history?.(repository.path, two, { text, most: 5, isAllowed }, signal);
  t.match(await ask('a'), { found: [{ sha: one }], more: true });
  await t.rejects(async () => void (await ask('nowhere')), { code: 'timed_out' });
});

t.test('replaced objects, grafts and other owners change nothing', async (t) => {
  const repository = makeRepository(t.testdir());
  const one = repository.commit({ a: '1\n' }, { message: 'One' });
  const two = repository.commit({ a: '2\n' }, { message: 'Two' });
  const three = repository.commit({ a: '3\n' }, { message: 'Three' });
  repository.git('replace', two, one);
  writeFileSync(join(repository.path, '.git/info/grafts'), `${three}\n`);
  if (process.getuid?.() === 0) chownSync(repository.path, 12_345, 12_345);
  const [commit] = await (await gitHost()).commits(repository.path, [two], signal);
  t.equal(commit?.title, 'Two');
  t.same((await (await gitHost()).commits(repository.path, [three], signal))[0]?.parents, [two]);
});

t.test('SHA-256 repositories work', async (t) => {
  const path = t.testdir();
  execFileSync('git', ['init', '-q', '-b', 'main', '--object-format=sha256', path]);
  const sha = makeRepository(path).commit({ a: '1\n' });
  t.equal(sha.length, 64);
  const codeHost = await gitHost();
  t.match((await codeHost.tree(path, NO_HINTS, signal)).revision, { sha });
  const { files, recent } = await codeHost.blame(path, sha, ['a'], signal);
  t.match(files, [{ status: 'ok', ranges: [{ start: 1, end: 1, sha }] }]);
  t.match(recent, [{ sha }]);
  t.match(await codeHost.commits(path, [sha], signal), [{ sha, additions: 1 }]);
  t.match(await codeHost.diff(path, sha, signal), { sha, files: [{ path: 'a', status: 'added' }] });
});

t.test('a temporary folder that was emptied is created again', async (t) => {
  const { path, commit } = makeRepository(t.testdir());
  const sha = commit({ a: '1\n' });
  const parts = await gitParts();
  const ask = () => parts.codeHost?.diff(path, sha, signal);
  const first = await ask();
  await parts.close?.();
  t.same(await Promise.all([ask(), ask(), ask()]), [first, first, first]);
});

t.test('revisions: releases and tags in their usual forms, the most specific first', async (t) => {
  const repository = makeRepository(t.testdir());
  const codeHost = await gitHost();
  await t.rejects(codeHost.tree(repository.path, NO_HINTS, signal), { code: 'revision_not_found' });
  const tags = [
    'v1.0.0',
    '2.0.0',
    'release-3.0.0',
    'web@4.0.0',
    'web-v5.0.0',
    'web/v6.0.0',
    'v4.0.0',
    '7.0.0+abc',
  ];
  const shas = tags.map((tag, index) => {
    const at = `2026-03-0${index + 1}T00:00:00Z`;
    const sha = repository.commit({ a: `${index}\n` }, { at });
    repository.git('tag', tag, sha);
    return sha;
  });
  const releases = [
    '1.0.0',
    'v2.0.0',
    'web@3.0.0',
    'web@4.0.0',
    '@acme/web@5.0.0',
    'web@6.0.0',
    '4.0.0',
    'x@7.0.0+abc',
  ];
  for (const [index, release] of releases.entries()) {
    const { revision } = await codeHost.tree(repository.path, { ...NO_HINTS, release }, signal);
    t.same({ sha: revision.sha, how: revision.how }, { sha: shas[index], how: 'tag' }, release);
  }
  const [first = '', second = ''] = shas;
  for (const release of [first, first.slice(0, 12), `web@${first}`, `1.9.9+${first.slice(0, 9)}`]) {
    t.match((await codeHost.tree(repository.path, { ...NO_HINTS, release }, signal)).revision, {
      sha: first,
      how: 'release',
    });
  }
  for (const [at, sha, how] of [
    ['2026-03-02T12:00:00.000Z', second, 'date'],
    ['2026-03-02T00:00:00.000Z', second, 'date'],
    ['2026-03-01T23:59:59.999Z', first, 'date'],
    ['2020-01-01T00:00:00.000Z', shas.at(-1), 'head'],
    ['yesterday', shas.at(-1), 'head'],
  ] as const) {
    t.match((await codeHost.tree(repository.path, { ...NO_HINTS, at }, signal)).revision, { sha, how }, at);
  }
});

t.test('the previous release is the nearest tag with the same prefix', async (t) => {
  const repository = makeRepository(t.testdir());
  const codeHost = await gitHost();
  const shas = ['v1.0.0', 'web@2.0.0', '', 'v1.1.0'].map((tag, index) => {
    const sha = repository.commit({ a: `${index}\n` }, { at: `2026-03-0${index + 1}T00:00:00Z` });
    if (tag !== '') repository.git('tag', tag, sha);
    return sha;
  });
  const previous = async (hints: object) =>
    (await codeHost.tree(repository.path, { ...NO_HINTS, ...hints }, signal)).previous_release ?? null;
  t.same(await previous({ release: '1.1.0' }), {
    tag: 'v1.0.0',
    sha: shas[0],
    committed_at: '2026-03-01T00:00:00.000Z',
  });
  t.equal(await previous({ release: '1.0.0' }), null, 'nothing before');
  t.equal(await previous({ release: 'web@2.0.0' }), null, 'no earlier tag with that prefix');
  t.equal(await previous({ release: shas[2] }), null, 'no tag');
  t.equal(await previous({}), null, 'no release');
});

t.test('the changes of a shallow clone’s first commit are unknown', async (t) => {
  const folder = t.testdir();
  const origin = makeRepository(join(folder, 'origin'));
  origin.commit({ a: '1\n' });
  const sha = origin.commit({ a: '2\n' });
  const shallow = join(folder, 'shallow');
  execFileSync('git', ['clone', '-q', '--depth=1', `file://${origin.path}`, shallow]);
  const codeHost = await gitHost();
  t.same(await codeHost.diff(shallow, sha, signal), { sha, files: [], truncated: true });
  t.match(await codeHost.commits(shallow, [sha], signal), [{ sha, history_ends: 'shallow' }]);
  t.match((await codeHost.tree(shallow, NO_HINTS, signal)).gaps, [{ code: 'shallow' }]);
  t.equal((await codeHost.commits(origin.path, [sha], signal))[0]?.history_ends, undefined);
  t.equal((await codeHost.tree(origin.path, NO_HINTS, signal)).gaps, undefined);
});

t.test('missing content of a partial clone affects only its own files', async (t) => {
  const folder = t.testdir();
  const origin = makeRepository(join(folder, 'origin'));
  origin.git('config', 'uploadpack.allowFilter', 'true');
  const first = origin.commit({ a: '1\n' }, { message: 'First' });
  const both = origin.commit({ a: '2\n', big: `${'x'.repeat(80)}\n`.repeat(400) }, { message: 'Both' });
  const lost = origin.commit({ big: `${'y'.repeat(80)}\n`.repeat(400) }, { message: 'Only the big one' });
  const partial = join(folder, 'partial');
  const url = `file://${origin.path}`;
  execFileSync('git', ['clone', '-q', '--bare', '--filter=blob:limit=1k', url, partial]);
  const codeHost = await gitHost();
  const commits = await codeHost.commits(partial, [lost, first, both], signal);
  t.match(
    commits,
    [
      { sha: lost, message: 'Only the big one', parents: [both] },
      { sha: first, message: 'First', parents: [] },
      { sha: both, message: 'Both', parents: [first] },
    ],
    'all messages are present',
  );
  t.equal(commits.length, 3);
  const big = { path: 'big', old_path: 'big', hunks: [] };
  const diff = await codeHost.diff(partial, both, signal);
  t.match(diff, { sha: both, truncated: true, files: [{ path: 'a' }, { ...big, status: 'added' }] });
  t.same(diff.files[0]?.hunks[0]?.lines, ['-1', '+2']);
  t.match(await codeHost.diff(partial, lost, signal), {
    truncated: true,
    files: [{ ...big, status: 'modified' }],
  });
});

t.test('time and output are limited, and exceeding them is reported', async (t) => {
  const folder = t.testdir();
  const repository = makeRepository(join(folder, 'r'));
  const sha = repository.commit({ 'a.ts': 'a\n', 'b.ts': 'b\n' });
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const pids = join(folder, 'pids');
  const script = (name: string, when: string, then: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\ncase "$*" in ${when}) ${then};; *) exec '${real}' "$@";; esac\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const hangs = `sh -c 'echo $$ >> "${pids}"; exec sleep 600' & wait`;

  const blames = await gitHost({
    gitBinary: script('blame-hangs', '*" blame "*"a.ts"', hangs),
    timeoutMs: 4_000,
  });
  const { files } = await blames.blame(repository.path, sha, ['a.ts', 'b.ts'], signal);
  t.match(files, [
    { path: 'a.ts', status: 'failed', detail: /took longer than 4 s/ },
    { path: 'b.ts', status: 'ok' },
  ]);

  const hung = script('hangs', '*', hangs);
  const all = await gitHost({ gitBinary: hung, timeoutMs: 300 });
  await t.rejects(all.tree(repository.path, NO_HINTS, signal), {
    code: 'code_host_unavailable',
    message: /took longer/,
  });

  const patient = await gitHost({ gitBinary: hung, timeoutMs: 60_000 });
  const stop = new AbortController();
  const answers = Array.from({ length: 8 }, () => patient.tree(repository.path, NO_HINTS, stop.signal));
  const settled = Promise.allSettled(answers);
  await until(() => readFileSync(pids, 'utf8').split('\n').length > 6);
  stop.abort(new Error('enough'));
  for (const outcome of await settled)
    t.match(outcome, { status: 'rejected', reason: { message: 'enough' } });
  const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
  await until(() => started.every((pid) => !isAlive(pid)));
  t.pass('processes that git had started are killed too');

  const loud = await gitHost({ gitBinary: script('loud', '*', 'exec yes') });
  await t.rejects(loud.diff(repository.path, sha, signal), {
    code: 'code_host_unavailable',
    message: /exceeded its limit/,
  });

  const small = await gitHost({ maxOutputBytes: 70 });
  t.same(
    (await small.tree(repository.path, NO_HINTS, signal)).truncated,
    true,
    'a long listing is truncated',
  );
});

t.test('configuration errors say how to fix them', async (t) => {
  const folder = t.testdir({ 'not a repository': {}, file: 'x' });
  const { path } = makeRepository(join(folder, 'r'));
  mkdirSync(join(path, 'inside'));
  const codeHost = await gitHost();
  for (const where of [
    '',
    'a\0b',
    join(folder, 'not a repository'),
    join(folder, 'file'),
    join(path, 'inside'),
    'acme/shop',
  ]) {
    await t.rejects(
      codeHost.tree(where, NO_HINTS, signal),
      { code: 'repository_not_found', message: /projects\.default\.repository.* top folder/ },
      where,
    );
  }
  const none = await gitParts({ searchPath: `.:${folder}` });
  t.match(await none.check?.(signal), [{ name: 'git', ok: false, detail: /not found in .*Install git/ }]);
  await t.rejects(async () => none.codeHost?.tree(path, NO_HINTS, signal), {
    code: 'code_host_unavailable',
  });
  t.match(await (await gitParts()).check?.(signal), [{ name: 'git', ok: true, detail: /^git version/ }]);
  await t.rejects(gitParts({ links: { commit: 'javascript:alert({sha})' } }), { code: 'configuration' });
  await t.rejects(gitParts({ timeoutMs: 0 }), { code: 'configuration' });
});

t.test('links come from the configuration, or from a known remote', async (t) => {
  const repository = makeRepository(t.testdir());
  const sha = repository.commit({ a: 'a\n' });
  const codeHost = await gitHost();
  const links = async () => (await codeHost.tree(repository.path, NO_HINTS, signal)).links;
  t.same(await links(), { commit: null, line: null });
  repository.git('remote', 'add', 'origin', 'https://eve:secret@github.com/acme/shop.git');
  t.same(await links(), {
    commit: 'https://github.com/acme/shop/commit/{sha}',
    line: 'https://github.com/acme/shop/blob/{sha}/{path}#L{line}',
  });
  const [commit] = await codeHost.commits(repository.path, [sha], signal);
  t.equal(commit?.url, `https://github.com/acme/shop/commit/${sha}`);
  const own = await gitHost({ links: { commit: 'https://git.acme.example/{sha}' } });
  t.match((await own.tree(repository.path, NO_HINTS, signal)).links, {
    commit: 'https://git.acme.example/{sha}',
    line: /github/,
  });
});

t.test('code owners: the first place, by the rules of the remote; the account of an author', async (t) => {
  const repository = makeRepository(t.testdir());
  const ada = { name: 'Ada', email: '583231+ada-dev@users.noreply.github.com' };
  const none = repository.commit({ a: 'a\n' }, { author: { name: 'Bo', email: 'bo@example.com' } });
  const docs = repository.commit({ 'docs/CODEOWNERS': '* @docs\n', '.gitlab/CODEOWNERS': '* @gitlab\n' });
  const root = repository.commit({ CODEOWNERS: '* @root\n', 'docs/CODEOWNERS': null }, { author: ada });
  const only = repository.commit({ CODEOWNERS: null });
  const folder = repository.commit({ 'CODEOWNERS/x': 'x', '.gitlab/CODEOWNERS': Buffer.from([0, 1]) });
  const codeHost = await gitHost();
  const owners = (sha: string) => codeHost.owners?.file(repository.path, sha, signal);
  t.equal(await owners(none), null);
  t.same(await owners(docs), { path: 'docs/CODEOWNERS', dialect: 'github', text: '* @docs\n' });
  t.same(await owners(root), { path: 'CODEOWNERS', dialect: 'github', text: '* @root\n' });
  t.same(await owners(only), { path: '.gitlab/CODEOWNERS', dialect: 'gitlab', text: '* @gitlab\n' });
  t.same(await owners(folder), { path: '.gitlab/CODEOWNERS', dialect: 'gitlab', text: null }, 'not text');
  repository.git('remote', 'add', 'origin', 'git@gitlab.acme.example:shop/shop.git');
  t.same(await owners(root), { path: 'CODEOWNERS', dialect: 'gitlab', text: '* @root\n' });
  const authors = (await codeHost.commits(repository.path, [none, root], signal)).map(({ author }) => author);
  t.same(authors, [{ name: 'Bo' }, { name: 'Ada', account: 'ada-dev' }], 'no address is kept');
});

function shasByLine(file: BlamedFile): readonly string[] {
  return file.ranges.flatMap(({ start, end, sha }) => Array.from({ length: end - start + 1 }, () => sha));
}

function edit(lines: string[], round: number, random: (below: number) => number): void {
  for (let edits = 1 + random(3); edits > 0; edits -= 1) {
    const at = random(lines.length + 1);
    lines.splice(
      at,
      random(4),
      ...Array.from({ length: random(4) }, (_, i) => `round ${round} ${i} ${random(5)}`),
    );
  }
  if (lines.length === 0) lines.push('never empty');
}

function textOf(lines: readonly string[], random: (below: number) => number): string {
  return lines.join('\n') + (random(5) === 0 ? '' : '\n');
}

/** A deterministic sequence of numbers. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
