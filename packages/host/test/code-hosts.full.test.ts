import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forgejo } from '@culprit/connectors/forgejo';
import { git } from '@culprit/connectors/git';
import { github } from '@culprit/connectors/github';
import { gitlab } from '@culprit/connectors/gitlab';
import { storage } from '@culprit/connectors/storage';
import { template } from '@culprit/connectors/template';
import { type Connector, createEngine, silentLogger } from '@culprit/core';
import type { CodeHost } from '@culprit/core/connector';
import { frozenClock } from '@culprit/core/internal/pipeline/evidence/replay-parts';
import { startForgejoDouble } from '@culprit/doubles/forgejo';
import { startGithubDouble } from '@culprit/doubles/github';
import { startGitlabDouble } from '@culprit/doubles/gitlab';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { createTaker } from '../src/replay/in-process.js';
import { buildRecipe, readRecipe } from '../src/replay/recipe.js';
import { readJson, SCENARIO_FILES, scenarioCase } from '../src/replay/scenario.js';
import { makeToken } from './support/access-kit.js';
import { coreBench } from './support/core-bench.js';
import { crashingRepository } from './support/crashing-repository.js';

const SCENARIOS = fileURLToPath(new URL('../../../bench/scenarios/', import.meta.url));
const COMPARE = fileURLToPath(new URL('../../../scripts/check-descriptions.mjs', import.meta.url));
const TOKEN = 'a-token-of-the-doubles-0123456789abcdef0';
const REVIEWER = { name: 'ada', via: 'api' } as const;
const signal = new AbortController().signal;

/** A code host with all repositories, and a repository's address on it. */
interface Host {
  readonly name: string;
  readonly connector: Connector;
  readonly addressOf: (scenario: string) => string;
}

/** The real repositories of the scenarios, by the scenario's name. */
function repositories(folder: string): Readonly<Record<string, string>> {
  const named = readdirSync(SCENARIOS).filter((name) =>
    existsSync(join(SCENARIOS, name, SCENARIO_FILES.recipe)),
  );
  return Object.fromEntries(
    named.map((name) => {
      const path = join(folder, name);
      const file = join(SCENARIOS, name, SCENARIO_FILES.recipe);
      buildRecipe(readRecipe(readJson(file), file), path);
      return [name, path];
    }),
  );
}

/** Every code host over the same repositories. */
async function openHosts(
  t: Test,
  folder: string,
  paths: Readonly<Record<string, string>>,
): Promise<{
  readonly hosts: readonly Host[];
  readonly urls: Record<'github' | 'gitlab' | 'forgejo', string>;
}> {
  const served = Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [`shop/${name}`, { git: path }]),
  );
  const open = async <Double extends { readonly url: string; close(): Promise<unknown> }>(
    starting: Promise<Double>,
  ): Promise<string> => {
    const double = await starting;
    t.teardown(() => double.close());
    return double.url;
  };
  const onGithub = await open(
    startGithubDouble({
      repositories: served,
      tokens: {
        [TOKEN]: { user: 'bot', permissions: { contents: 'read', issues: 'write', pull_requests: 'read' } },
      },
    }),
  );
  const onGitlab = await open(
    startGitlabDouble({ repositories: served, tokens: { [TOKEN]: { user: 'bot', scopes: ['api'] } } }),
  );
  const onForgejo = await open(
    startForgejoDouble({
      repositories: served,
      tokens: { [TOKEN]: { user: 'bot', scopes: ['read:repository', 'read:user', 'write:issue'] } },
    }),
  );
  const timeoutMs = 300_000;
  const urls = { github: onGithub, gitlab: onGitlab, forgejo: onForgejo };
  const hosts: readonly Host[] = [
    { name: 'local git', connector: git({}), addressOf: (name) => paths[name] ?? '' },
    {
      name: 'GitHub',
      connector: github({ token: TOKEN, apiUrl: onGithub, timeoutMs }),
      addressOf: (name) => `shop/${name}`,
    },
    {
      name: 'GitLab',
      connector: gitlab({ token: TOKEN, url: onGitlab, timeoutMs }),
      addressOf: (name) => `gitlab:shop/${name}`,
    },
    {
      name: 'Forgejo',
      connector: forgejo({
        token: TOKEN,
        url: onForgejo,
        mirrorDirectory: join(folder, 'mirrors'),
        timeoutMs,
      }),
      addressOf: (name) => `forgejo:shop/${name}`,
    },
  ];
  return { hosts, urls };
}

/** What a reviewer sees of the suspects of every run of a scenario, without addresses and accounts of the code host. */
async function suspectsOn({ connector, addressOf }: Host, scenario: string) {
  const one = scenarioCase(join(SCENARIOS, scenario));
  const engine = await createEngine({
    connectors: [storage({ url: 'memory:' }), template({}), connector],
    projects: { default: { ...one.project, repository: addressOf(scenario) } },
    clock: frozenClock(new Date(one.at).toISOString()),
    logger: silentLogger,
  });
  try {
    const taker = await createTaker();
    const crashes = [];
    for (const item of one.items)
      crashes.push(
        ...('delivery' in item ? [item.delivery] : await taker.take(item.request, item.receivedAt)),
      );
    const deliveries = crashes.map((crash, at) => ({ ...crash, sequence: at + 1 }));
    const { outcomes } = await engine.ingestBatch({ edge: 'test', deliveries });
    const runs = new Set(outcomes.flatMap(({ run_id }) => (run_id === null ? [] : [run_id])));
    const seen = [];
    for (const runId of runs) {
      await engine.approveGateOne(runId, REVIEWER);
      const { state, revision, suspects, no_suspect, draft } = await engine.run(runId);
      seen.push({
        ...{ state, revision, no_suspect, title: draft?.title },
        suspects: suspects.map(({ url: _url, pull_request: _pull, author, ...suspect }) => ({
          ...suspect,
          author: author.name,
        })),
      });
    }
    return seen;
  } finally {
    await engine.close();
  }
}

t.test(
  'every code host gives the suspects of local git, over the repositories of all scenarios',
  async (t) => {
    const folder = temporaryFolder(t, 'code-hosts');
    const paths = repositories(join(folder, 'git'));
    const [local, ...others] = (await openHosts(t, folder, paths)).hosts;
    if (local === undefined) throw new Error('no hosts');
    let suspects = 0;
    for (const scenario of Object.keys(paths)) {
      const expected = await suspectsOn(local, scenario);
      suspects += expected.flatMap((run) => run.suspects).length;
      for (const host of others)
        t.same(await suspectsOn(host, scenario), expected, `${scenario} on ${host.name}`);
    }
    t.ok(Object.keys(paths).length >= 12, 'scenarios');
    t.ok(suspects >= 30, `${suspects} suspects`);
  },
);

/** A repository with denied files, whose secrets name it. */
function secretRepository(folder: string, name: string) {
  const path = join(folder, name);
  const { directory } = crashingRepository(path, name);
  mkdirSync(join(directory, 'secrets'));
  const files = { '.env': 'KEY', 'secrets/prod.yml': 'token', 'config/app.env': 'KEY', deploy_key: 'key' };
  for (const [file, key] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), `${key}: bare-words-of-${name}\n`);
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' }).trim();
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'chore: settings');
  return { name, path: directory, denied: Object.keys(files), head: git('rev-parse', 'HEAD') };
}

t.test('on every code host: nothing of denied files, and each project’s own pages', async (t) => {
  const folder = temporaryFolder(t, 'secrets');
  const sources = ['one', 'two'].map((name) => secretRepository(folder, name));
  const paths = Object.fromEntries(sources.map(({ name, path }) => [name, path]));
  const { urls } = await openHosts(t, folder, paths);
  const projects = sources.flatMap((source) =>
    ['github', 'gitlab', 'forgejo'].map((host) => ({ ...source, project: `${host}-${source.name}`, host })),
  );
  const data = `file:${join(folder, 'store')}`;
  const bench = await coreBench(
    {
      projectsIn: Object.fromEntries(
        projects.map(({ project, host, name }) => [project, `${host}:shop/${name}`.replace('github:', '')]),
      ),
      env: {
        ...{ GITHUB_TOKEN: TOKEN, GITHUB_API_URL: urls.github, GITLAB_TOKEN: TOKEN, GITLAB_URL: urls.gitlab },
        ...{ FORGEJO_TOKEN: TOKEN, FORGEJO_URL: urls.forgejo },
      },
    },
    data,
  );
  t.teardown(bench.close);
  const seen = [];
  for (const { project, denied, head } of projects) {
    const frames = [...denied, 'src/cart.js', ...denied].map((filename) => ({
      ...{ filename: `/srv/app/${filename}`, lineno: filename === 'src/cart.js' ? 4 : 1, in_app: true },
      function: 'total',
    }));
    const value = { type: 'TypeError', value: 'boom', stacktrace: { frames } };
    const crash = { event_id: project, platform: 'node', release: head, fingerprint: [project] };
    const { run_id } = await bench.engine.ingest({
      crash: { ...crash, exception: { values: [value] } },
      project,
    });
    const at = `/api/v1/runs/${run_id}`;
    const approved = await bench.api({ method: 'POST', path: `${at}/gate1/approve` });
    t.equal(approved.status, 200, `${project} ${approved.text}`);
    const body = { name: project, scopes: ['read'], projects: [project], expires_in_days: 1 };
    const { token } = await makeToken(bench, body);
    const ask = (path: string) => bench.bare({ path, headers: { authorization: `Bearer ${token}` } });
    const pages = ['', '/evidence', '/stack', '/brief', '/draft', '/history'].map((page) => at + page);
    for (const page of pages) {
      const { status, text } = await ask(page);
      t.equal(status, 200, page);
      t.notMatch(text, /bare-words-of/, `${project} ${page}`);
    }
    t.match((await ask(`${at}/evidence`)).text, 'tax.rate', `${project}: the crashed line is there`);
    seen.push({ project, ask, pages, code: `${head}/src/cart.js` });
  }
  for (const { project, ask } of seen)
    for (const other of seen) {
      const own = other.project === project;
      for (const page of other.pages)
        t.equal((await ask(page)).status, own ? 200 : 404, `${project} reads ${page} of ${other.project}`);
      // These hosts show code themselves; the folders of another project are not read instead.
      for (const place of [project, other.project, 'default'])
        t.equal((await ask(`/code/${place}/${other.code}`)).status, 404, `${project} /code/${place}`);
    }
  await bench.engine.close();
  const files = readdirSync(join(folder, 'store'), { recursive: true, withFileTypes: true });
  const stored = files
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  t.match(stored.join(''), 'github-one');
  t.notMatch(stored.join(''), /bare-words-of/, 'nothing of it in the store');
});

t.test('every code host names the release that contains a commit first, as local git does', async (t) => {
  const folder = temporaryFolder(t, 'first-releases');
  const [name = ''] = Object.keys(repositories(join(folder, 'git')));
  const path = join(folder, 'git', name);
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: path,
      encoding: 'utf8',
      env: { ...process.env, GIT_COMMITTER_DATE: '2026-06-01T00:00:00Z' },
    }).trim();
  const commits = run('rev-list', '--reverse', 'HEAD').split('\n');
  const at = (place: number) => commits.at(place) ?? '';
  run('tag', '-l')
    .split('\n')
    .filter((tag) => tag !== '')
    .map((tag) => run('tag', '-d', tag));
  run('tag', 'v9.1.0', at(1));
  run('tag', 'nightly', at(2));
  run('tag', '-a', '-m', 'late', 'v9.3.0', at(3));
  run('tag', 'v9.10.0', at(-2));
  // More than a page.
  const many = Array.from({ length: 130 }, (_, patch) => `create refs/tags/v9.11.${patch} ${at(-2)}\n`);
  execFileSync('git', ['update-ref', '--stdin'], { cwd: path, input: many.join('') });
  const { hosts } = await openHosts(t, folder, { [name]: path });
  const opened: (readonly [Host, CodeHost])[] = [];
  for (const host of hosts) {
    const { codeHost, close } = await host.connector.setup({ fetch, logger: silentLogger, signal });
    if (close) t.teardown(() => close());
    if (codeHost) opened.push([host, codeHost]);
  }
  t.equal(opened.length, 4);
  const expected = new Map([
    [at(0), 'v9.1.0'],
    [at(1), 'v9.1.0'],
    // The annotated tag was made after the others.
    [at(2), 'v9.10.0'],
    [at(-2), 'v9.10.0'],
    [at(-1), null],
    ['f'.repeat(40), null],
  ]);
  for (const [{ name: host, addressOf }, { ancestry }] of opened)
    for (const [commit, release] of expected)
      t.equal(
        await ancestry?.firstRelease?.(addressOf(name), commit, signal),
        release,
        `${commits.indexOf(commit) + 1} on ${host}`,
      );
});

t.test('descriptions are compared with those of the systems', async (t) => {
  const folder = temporaryFolder(t, 'descriptions');
  const compare = (paths: object) => {
    const file = join(folder, 'swagger.json');
    writeFileSync(file, JSON.stringify({ swagger: '2.0', basePath: '{{AppSubUrl}}/api/v1', paths }));
    const { status, stdout } = spawnSync(process.execPath, [COMPARE, '--forgejo', file], {
      encoding: 'utf8',
    });
    return { status, lines: stdout.trim().split('\n') };
  };
  const parameter = (name: string, more: object) => ({ name, in: 'query', ...more });
  const properties = { id: {}, name: {} };
  const answer = (schema: object) => ({ 200: { schema } });
  const labels = {
    parameters: [
      parameter('page', { type: 'integer' }),
      parameter('limit', { type: 'string', required: true }),
    ],
    responses: answer({ type: 'array', items: { properties: { id: {} } } }),
  };
  const created = {
    parameters: [{ in: 'body', name: 'body', schema: { properties: { name: { type: 'string' } } } }],
    responses: answer({ properties }),
  };
  const { status, lines } = compare({
    '/version': { get: { responses: {} } },
    '/repos/{user}/{name}/labels': { get: labels, post: created },
  });
  t.equal(status, 1);
  t.notMatch(lines, [/getVersion/]);
  t.strictSame(
    lines.filter((line) => /Label(s)?: /.test(line) && !/^forgejo (issueAddLabel|orgListLabels)/.test(line)),
    [
      'forgejo issueListLabels: limit is string, and not "integer"',
      'forgejo issueListLabels: limit is required',
      'forgejo issueListLabels: the response has no name',
      ...['color', 'description', 'exclusive', 'is_archived'].map(
        (member) => `forgejo issueCreateLabel: ${member} is not described`,
      ),
    ],
  );
  t.ok(lines.includes('forgejo issueCreateIssue: is not described'));
});
