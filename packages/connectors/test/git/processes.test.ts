import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { countLines } from '../../src/git/change.js';
import { quotedPath } from '../../src/git/graphs.js';
import { createProcesses, type ProcessEnd, type ProcessSpec } from '../../src/git/process.js';
import { closeAll, gitHost, gitParts, signal } from './support/context.js';
import { isAlive, until } from './support/processes.js';
import { makeRepository } from './support/repository.js';

t.teardown(closeAll);

const NO_HINTS = { commit: null, release: null, at: '2030-01-01T00:00:00.000Z' };
const said = (end: ProcessEnd) => ('stdout' in end ? Buffer.from(end.stdout).toString() : end.kind);

/** Answers each line with its process id and the line; `die` ends it, `hang` never answers. */
const ECHO = `while read -r line; do
  case "$line" in
    die) exit 3;; bad) echo no >&2; exit 4;; hang) sleep 600;; long) yes | head -c 5000; echo END;; *) echo "$$ $line"; echo END;;
  esac
done`;

t.test('a process stays open for further questions and is replaced when it ends', async (t) => {
  const folder = t.testdir();
  const open = createProcesses();
  t.teardown(() => open.close());
  const question = (line: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
    ...{ file: '/bin/sh', args: ['-c', ECHO], cwd: folder, env: {}, input: `${line}\n` },
    ...{ maxBytes: 1_000, timeoutMs: 60_000, answerEnds: 'END\n' },
    ...more,
  });
  const ask = (line: string, more: Partial<ProcessSpec> = {}) => open.start(question(line, more)).ended;
  const pid = async () => Number(said(await ask('x')).split(' ')[0]);

  const first = await pid();
  t.equal(await pid(), first, 'one process for one question after another');
  const many = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`n${n}`)));
  t.same(
    many.map((end) => said(end).trim().split(' ')[1]),
    Array.from({ length: 20 }, (_, n) => `n${n}`),
  );
  t.ok(new Set(many.map((end) => said(end).split(' ')[0])).size <= 4, 'a few processes for many questions');

  t.match(await ask('bad'), { kind: 'exited', code: 4, stderr: 'no\n' }, 'an exit code is an answer');
  t.match(await ask('long'), { kind: 'cut' });
  t.match(await ask('hang', { timeoutMs: 50 }), { kind: 'late' });
  t.match(said(await ask('after')), /^\d+ after\n$/);
  t.match(await ask('x', { file: join(folder, 'none') }), { kind: 'not_started', code: 'ENOENT' });
  t.match(await ask('x', { args: ['a\0b'] }), { kind: 'not_started' });

  process.kill(await pid(), 'SIGKILL');
  t.match(said(await ask('again')), /^\d+ again\n$/, 'killed while idle');
  const once = join(folder, 'once');
  const script = `while read -r line; do
    if [ -e once ]; then echo "$$ $line"; echo END; else echo $$ > once.new; mv once.new once; sleep 600; fi
  done`;
  const answer = open.start(question('repeated', { args: ['-c', script] }));
  await until(() => existsSync(once));
  process.kill(Number(readFileSync(once, 'utf8')), 'SIGKILL');
  t.match(said(await answer.ended), /^\d+ repeated\n$/, 'killed before it answered');

  const unwanted = open.start(question('hang'));
  const busy = await pid();
  unwanted.kill();
  await until(() => !isAlive(busy));

  const brief = createProcesses(1);
  const idle = Number(said(await brief.start(question('x')).ended).split(' ')[0]);
  await until(() => !isAlive(idle));
  t.pass('an idle process ends');
});

/** A git that writes each of its commands into a file. */
function loggedGit(folder: string): {
  readonly gitBinary: string;
  readonly commands: () => readonly string[];
} {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const gitBinary = join(folder, 'logged-git');
  const log = join(folder, 'commands');
  writeFileSync(log, '');
  writeFileSync(gitBinary, `#!/bin/sh\necho "$$ $*" >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(gitBinary, 0o755);
  return { gitBinary, commands: () => readFileSync(log, 'utf8').trim().split('\n') };
}

t.test('one incident starts a few processes, and the next one asks only what is new', async (t) => {
  const folder = t.testdir();
  const repository = makeRepository(join(folder, 'r'));
  const shas = Array.from({ length: 40 }, (_, n) =>
    repository.commit(
      { 'a.ts': `${'x\n'.repeat(n)}`, [`b${n % 3}.ts`]: `${n}\n` },
      { message: `Change ${n}` },
    ),
  );
  const { gitBinary, commands } = loggedGit(folder);
  const codeHost = await gitHost({ gitBinary });
  const incident = async (paths: readonly string[]) => {
    const request = new AbortController().signal;
    const { revision } = await codeHost.tree(repository.path, NO_HINTS, request);
    const blame = await codeHost.blame(repository.path, revision.sha, paths, request);
    const commits = await codeHost.commits(repository.path, shas, request);
    const diffs = await Promise.all(shas.map((sha) => codeHost.diff(repository.path, sha, request)));
    return { blame, commits, diffs };
  };
  const { blame, commits, diffs } = await incident(['a.ts', 'b0.ts']);
  const cold = commands().length;
  t.ok(cold <= 20, `${cold} processes for 2 files, 40 commits and 40 diffs`);
  t.equal(blame.files.length, 2);
  for (const [index, { sha, additions, deletions }] of commits.entries()) {
    const numstat = repository.git('show', '--numstat', '--format=', sha).split('\n');
    const sum = (column: number) =>
      numstat.reduce((total, line) => total + Number(line.split('\t')[column]), 0);
    t.same([additions, deletions], [sum(0), sum(1)], `Change ${index}`);
    t.same(
      diffs[index]?.files.map(({ path }) => path),
      numstat.map((line) => line.split('\t')[2]),
    );
  }
  t.same(await incident(['a.ts', 'b0.ts']), { blame, commits, diffs });
  const repeated = commands().slice(cold);
  t.notOk(
    repeated.some((line) => / (?:blame|log|diff-tree|ls-tree) /.test(line)),
    repeated.join('\n'),
  );
});

t.test('after an abort no process of the request is left', async (t) => {
  const folder = t.testdir();
  const repository = makeRepository(join(folder, 'r'));
  const sha = repository.commit({ 'a.ts': 'a\n' });
  const { gitBinary, commands } = loggedGit(folder);
  const script = readFileSync(gitBinary, 'utf8').replace(
    'exec',
    'case "$*" in *" blame "*) sleep 600;; esac\nexec',
  );
  writeFileSync(gitBinary, script);
  const codeHost = await gitHost({ gitBinary });
  const stop = new AbortController();
  const answer = codeHost.blame(repository.path, sha, ['a.ts'], stop.signal);
  await until(() => commands().some((line) => line.includes(' blame ')));
  stop.abort(new Error('enough'));
  await t.rejects(answer, { message: 'enough' });
  const pids = commands().map((line) => Number(line.split(' ')[0]));
  t.ok(pids.length > 2);
  await until(() => pids.every((pid) => !isAlive(pid)));
});

t.test('content cannot end an answer, and a large change is truncated alone', async (t) => {
  const repository = makeRepository(t.testdir());
  const tricky =
    'culprit.x missing\nculprit.00000000-0000-0000-0000-000000000000 missing\n\0\0diff --git a/x b/x\n';
  const first = repository.commit(
    { 'a.txt': 'one\n', 'culprit.x': '' },
    { message: tricky.replaceAll('\0', '') },
  );
  const huge = repository.commit({ 'huge.txt': `${'y'.repeat(99)}\n`.repeat(90_000), 'a.txt': 'two\n' });
  const second = repository.commit({ 'a.txt': tricky.replaceAll('\0', '') });
  const codeHost = await gitHost();
  const commits = await codeHost.commits(repository.path, [first, huge, second], signal);
  t.same(
    commits.map(({ additions, deletions }) => [additions, deletions]),
    [
      [1, 0],
      [90_001, 1],
      [3, 1],
    ],
  );
  const diff = await codeHost.diff(repository.path, huge, signal);
  t.equal(diff.truncated, true);
  t.same(
    diff.files.map(({ path, hunks }) => [path, hunks.length]),
    [
      ['a.txt', 1],
      ['huge.txt', 0],
    ],
  );
  t.match(await codeHost.diff(repository.path, second, signal), {
    truncated: false,
    files: [{ path: 'a.txt' }],
  });
  t.same(countLines(Buffer.from('@@ -1,2 +1,2 @@\n--- a\n+++ b\n x\n@@ -9 +9,0 @@ f()\n-@@ -1 +1 @@\n')), {
    additions: 1,
    deletions: 2,
  });
});

t.test('a commit graph in our own folder changes no answer and not the repository', async (t) => {
  const folder = t.testdir({ graphs: {} });
  const repository = makeRepository(join(folder, 'a "quoted": r'));
  const shas = Array.from({ length: 12 }, (_, n) =>
    repository.commit({ 'a.ts': `${n}\n${'same\n'.repeat(n)}`, [`d/b${n}.ts`]: 'b\n' }),
  );
  const head = shas.at(-1) ?? '';
  const before = filesBelow(repository.path);
  const graphDirectory = join(folder, 'graphs');
  const plain = await gitHost();
  const ask = (codeHost: typeof plain) => codeHost.blame(repository.path, head, ['a.ts', 'd/b3.ts'], signal);
  const expected = await ask(plain);

  const builder = await gitParts({ graphDirectory, repositories: [repository.path] });
  const graph = () =>
    readdirSync(graphDirectory).map((name) => join(graphDirectory, name, 'info/commit-graph'))[0] ?? '';
  await until(() => existsSync(graph()));
  await builder.close?.();
  const { gitBinary, commands } = loggedGit(folder);
  const script = readFileSync(gitBinary, 'utf8').replace('$$ $*', '$$ $GIT_OBJECT_DIRECTORY $*');
  writeFileSync(gitBinary, script);
  const reader = await gitHost({ gitBinary, graphDirectory, buildGraphs: false });
  t.same(await ask(reader), expected);
  t.ok(
    commands().some((line) => line.includes(`${graphDirectory}/`) && line.includes(' blame ')),
    'it is used',
  );

  const later = repository.commit({ 'a.ts': 'new\n' });
  t.match(await (await gitHost({ graphDirectory })).blame(repository.path, later, ['a.ts'], signal), {
    files: [{ ranges: [{ sha: later }] }],
  });
  repository.git('update-ref', 'HEAD', head);
  chmodSync(graph(), 0o600);
  for (const broken of [
    '',
    'CGPH',
    `${readFileSync(graph(), 'latin1').slice(0, 300)}${'\xff'.repeat(3_000)}`,
  ]) {
    writeFileSync(graph(), broken, 'latin1');
    t.same(
      await ask(await gitHost({ graphDirectory, buildGraphs: false })),
      expected,
      'a broken graph does no harm',
    );
    mkdirSync(join(graph(), '..'), { recursive: true });
  }
  t.same(
    filesBelow(repository.path).filter(
      (file) => !/objects\/..(?:\/|$)|\.git(?:\/index|\/logs.*|)$/.test(file),
    ),
    before.filter((file) => !/objects\/..(?:\/|$)|\.git(?:\/index|\/logs.*|)$/.test(file)),
    'nothing was added to the repository',
  );
  t.equal(quotedPath('a"b\\c\nd'), '"a\\"b\\\\c\\nd"');
});

t.test('a graph is extended once a day, and a killed build leaves no lock', async (t) => {
  const folder = t.testdir({ graphs: {} });
  const repository = makeRepository(join(folder, 'r'));
  repository.commit({ a: '1\n' });
  const graphDirectory = join(folder, 'graphs');
  const build = async (until_: () => boolean) => {
    const parts = await gitParts({ graphDirectory, repositories: [repository.path] });
    await until(until_);
    await parts.close?.();
  };
  const file = () => join(graphDirectory, readdirSync(graphDirectory)[0] ?? '', 'info/commit-graph');
  await build(() => existsSync(file()));
  const size = statSync(file()).size;
  repository.commit({ a: '2\n' });
  const old = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(file(), old, old);
  writeFileSync(`${file()}.lock`, '');
  utimesSync(`${file()}.lock`, old, old);
  await build(() => statSync(file()).size > size);
  t.notOk(existsSync(`${file()}.lock`));

  const { gitBinary, commands } = loggedGit(folder);
  const head = repository.commit({ a: '3\n' });
  utimesSync(file(), old, old);
  writeFileSync(`${file()}.lock`, '');
  const parts = await gitParts({ gitBinary, graphDirectory, repositories: [repository.path] });
  await until(() => commands().some((line) => line.includes('commit-graph write')));
  await parts.codeHost?.blame(repository.path, head, ['a'], signal);
  await parts.close?.();
  const own = join(repository.path, '.git/objects/info/commit-graph');
  t.notOk(existsSync(own), 'a build that another process locks out is not repeated in the repository');
  t.ok(existsSync(file()), 'and the graph stays');
});

function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
}
