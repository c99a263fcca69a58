import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markedBody } from '@culprit/core/internal/testing/publisher-contract';
import { startGithubDouble } from '@culprit/doubles/github';
import t from 'tap';
import { github } from '../../src/github/index.js';
import { gitHost, signal } from '../git/support/context.js';
import { makeRepository } from '../git/support/repository.js';
import { bench, context, FULL, REPOSITORY, SINCE, TOKEN } from './support/github-bench.js';

t.test('more than ten thousand issues are listed by cursor', async (t) => {
  const { double, publisher } = await bench(t, FULL, { limits: false });
  const old = {
    repository: REPOSITORY,
    title: 'old',
    body: markedBody('Old', 'first'),
    labels: [],
    assignees: [],
  };
  for (let number = 0; number < 10_050; number++) double.addIssue({ ...old, user: 'culprit-bot' });
  double.addIssue({ ...old, body: 'latest', user: 'culprit-bot' });
  for (const stored of double.issues(REPOSITORY).slice(1)) Object.assign(stored, { body: 'no marker' });
  t.match(await publisher.find(REPOSITORY, 'first', SINCE, signal), { number: 1 });
});

t.test('blame agrees with git on fifty files, ignore-revs included', async (t) => {
  const folder = join(t.testdir(), 'many');
  const repository = makeRepository(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@x',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@x',
      },
    }).trim();
  void repository;
  const paths = Array.from({ length: 50 }, (_, file) => `src/part ${file % 7}/módulo-${file}.js`);
  const write = (round: number) => {
    for (const [file, path] of paths.entries()) {
      if (round > 0 && (file * 7 + round * 3) % 5 === 0) continue;
      mkdirSync(join(folder, path, '..'), { recursive: true });
      const lines = Array.from(
        { length: 10 + file },
        (_, line) => `line ${line} ${(line * 13 + file) % (round + 2) === 0 ? round : 0};`,
      );
      writeFileSync(join(folder, path), `${lines.join('\n')}\n`);
    }
    git('add', '-A');
    git('commit', '-q', '-m', `round ${round}`);
    return git('rev-parse', 'HEAD');
  };
  const shas = [0, 1, 2, 3, 4, 5].map(write);
  writeFileSync(
    join(folder, '.git-blame-ignore-revs'),
    `# formatter\n${shas[3]}\n${shas[1]} # another\nnot a sha\n`,
  );
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs/CODEOWNERS'), '* @docs\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'ignore', '--author', 'Ada <ada-dev@users.noreply.github.com>');
  const head = git('rev-parse', 'HEAD');
  const double = await startGithubDouble({
    repositories: { [REPOSITORY]: { git: folder } },
    tokens: { [TOKEN]: FULL },
  });
  t.teardown(() => double.close());
  const { codeHost } = await github({ token: TOKEN, apiUrl: double.url }).setup(context);
  const remote = await codeHost?.blame(REPOSITORY, head, paths, signal);
  const local = await (await gitHost()).blame(folder, head, paths, signal);
  t.equal(remote?.files.length, 50);
  t.same(remote?.files, local.files);
  t.same(remote?.ignored, local.ignored);
  t.equal(remote?.ignored.length, 2);
  t.same(remote?.recent, local.recent);
  const asked = double.requests.length;
  const owners = { path: 'docs/CODEOWNERS', dialect: 'github', text: '* @docs\n' };
  t.same(await codeHost?.owners?.file(REPOSITORY, head, signal), owners);
  t.equal(double.requests.length, asked, 'the code owners came with the blame');
  t.equal(await codeHost?.owners?.file(REPOSITORY, shas[0] ?? '', signal), null);
  const [commit] = (await codeHost?.commits(REPOSITORY, [head], signal)) ?? [];
  t.same(commit?.author, { name: 'Ada', account: 'ada-dev' });
});
