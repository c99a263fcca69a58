import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OPERATIONS } from '@culprit/client';
import { silentLogger } from '@culprit/core';
import { SNIPPETS, snippetFor } from '@culprit/core/internal/domain/send-crashes';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { banner } from '../src/cli/banner.js';
import { COMMANDS } from '../src/cli/commands.js';
import { helpOf } from '../src/cli/help-text.js';
import { main } from '../src/cli/main.js';
import { composeTrackers } from '../src/compose/edge-trackers.js';
import type { Config } from '../src/config/config.js';
import { jsonProblem } from '../src/config/env-file.js';
import { type LoadOptions, loadConfig } from '../src/config/load-config.js';
import { readConfig } from '../src/config/read-config.js';
import { ciRunOf } from '../src/report/ci-run.js';
import { sendersOf } from '../src/send-crashes/senders.js';
import { crashingRepository } from './support/crashing-repository.js';
import { edge } from './support/edge-kit.js';
import { BIN, culprit as runCulprit } from './support/run-culprit.js';

const PORTS = { EDGE_PORT: '0', CORE_PORT: '0' };

function culprit(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  return runCulprit(args, { cwd, env: { ...PORTS, ...env } });
}

/** The same without a process of its own, which takes half a second. */
async function inProcess(args: readonly string[], cwd: string) {
  const before = { cwd: process.cwd(), write: process.stderr.write };
  let stderr = '';
  process.chdir(cwd);
  process.stderr.write = (text: unknown) => {
    stderr += String(text);
    return true;
  };
  try {
    const code = await main(args);
    return { code, stderr };
  } finally {
    process.stderr.write = before.write;
    process.chdir(before.cwd);
  }
}

t.test('every wrong word has its exit code and says what is right', async (t) => {
  const cwd = t.testdir({ 'folder.json': {}, 'crash.json': '{}' });
  crashingRepository(join(cwd, 'shop'));
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['up --edge-port 99999', 2, /--edge-port must be a port number from 0 to 65535/],
    ['core --log-level loud', 2, /--log-level must be one of debug/],
    ['runs list --state stagd_raw', 2, /Unknown state "stagd_raw"\. Did you mean staged_raw\?/],
    ['runs lst', 2, /Unknown subcommand "lst"\. Did you mean list\?/],
    ['runs list --url http://127.0.0.1:99999', 2, /--url must be http/],
    ['runs list --config none.json', 3, /Cannot read the configuration file .*none\.json \(ENOENT\)/],
    ['digest --since yesterday', 2, /--since must be an age such as 8h/],
    ['token new ci --scopes raed', 2, /Unknown scope "raed"\. Did you mean read\?/],
    ['runs snooze r_1', 2, /Pass one of --until TIME, --crashes N/],
    ['replay none.json --times 0', 2, /--times must be a whole number from 1/],
    ['runs list', 4, /No token found in/],
    ['listen --since yesterday', 2, /--since must be EPOCH\.SEQ/],
    ['listen everything', 2, /takes only flags/],
    ['trigger nod', 2, /Unknown fixture "nod"\. Did you mean node\?/],
    ['trigger --at src/cart.js --repository shop', 2, /--at must be FILE:LINE/],
    [
      'trigger --at src/cart.js:900 --repository shop',
      2,
      /src\/cart\.js has \d+ lines, so it has no line 900/,
    ],
    ['trigger --at src/none.js:1 --repository shop', 2, /The last commit has no file src\/none\.js/],
    ['trigger --at a.js:1 --repository /', 2, /is not a git repository/],
    ['scrub none.json', 3, /Cannot read none\.json \(ENOENT\)/],
    ['replay none.json', 3, /No file, folder or run none\.json/],
    ['replay folder.json', 3, /contains neither scenarios nor deliveries/],
    ['store import none', 3, /none does not exist/],
    ['record out --data none', 3, /No spool in/],
    ['blame a.js:1 --repository none', 3, /There is no git repository at .*Set REPOSITORY to/],
    ['init everything', 2, /takes only flags/],
    ['init --modle x', 2, /Did you mean --model\?/],
  ];
  for (const [line, code, says] of cases) {
    const ended = await inProcess(line.split(' '), cwd);
    t.match(ended, { code, stderr: says }, line);
    t.notMatch(ended.stderr, /\n {4}at |node:internal/, `${line}: no stack`);
  }
  const file = join(cwd, 'crash.json');
  const unusual = await inProcess(['store', 'export', join(file, 'below')], cwd);
  t.match(unusual, { code: 3, stderr: /Cannot access .*below.* \(ENOTDIR\)\. A part of the path is not a/ });
});

t.test('help fits the terminal and lists every flag', async (t) => {
  const usage = {
    forms: ['x LONG --with many --flags and --even more'],
    flags: { at: { meaning: 'a '.repeat(80) } },
  };
  const text = helpOf('x', 'does something that takes many words to describe', usage, 44);
  t.ok(
    text.split('\n').every((line) => line.length <= 44),
    text,
  );
  t.match(text, /--at\n(?:.*\n)*.*--json\n(?:.*\n)*.*--help/);
});

t.test('init writes culprit.json and a private .env, which the servers read', async (t) => {
  const cwd = t.testdir();
  const { directory } = crashingRepository(join(cwd, 'shop'));
  const done = await culprit(['init', '--yes', '--repository', 'shop'], cwd);
  t.match(done, { code: 0, stdout: /ok +repository .*shop at [0-9a-f]{12}/ }, done.stderr);
  t.match(
    done.stdout,
    /Wrote .*culprit\.json\nWrote .*\.env {2}\(for secrets, mode 0600\)\n\nNext: npx culprit up\n/,
  );
  const written = JSON.parse(readFileSync(join(cwd, 'culprit.json'), 'utf8'));
  t.same(written, { repository: directory, envFile: join(cwd, '.env') });
  t.equal(statSync(join(cwd, '.env')).mode & 0o777, 0o600);
  t.match((await culprit(['doctor'], cwd)).stdout, /ok +env file +.*\.env, readable only by its owner/);

  t.match(await culprit(['init', '--yes'], cwd), { code: 2, stderr: /culprit\.json exists\. Pass --force/ });
  t.same(JSON.parse(readFileSync(join(cwd, 'culprit.json'), 'utf8')), written, 'nothing was overwritten');

  const secrets = { GITHUB_TOKEN: 'github_pat_planted', SLACK_BOT_TOKEN: 'xoxb-planted' };
  const chat = ['--slack-channel', 'C0123', '--slack-reviewers', 'U1:ada'];
  const all = [
    'init',
    '--yes',
    '--force',
    '--skip-checks',
    '--repository',
    'https://x-access-token:ghp_planted@github.com/acme/shop.git',
    '--model',
    'llama3',
    ...chat,
  ];
  const remote = await culprit(all, cwd, { ...secrets, SLACK_SIGNING_SECRET: 'sign-planted' });
  t.equal(remote.code, 0, remote.stderr);
  const settings = readFileSync(join(cwd, 'culprit.json'), 'utf8');
  t.match(JSON.parse(settings), { repository: 'acme/shop', ollamaModel: 'llama3', slackReviewers: 'U1:ada' });
  t.notMatch(settings + remote.stdout + remote.stderr, /planted/, 'secrets are only in the env file');
  const { config, origins } = readConfig({ flags: {}, env: { SLACK_BOT_TOKEN: 'xoxb-other' }, cwd });
  t.equal(config.githubToken?.reveal(), 'github_pat_planted');
  t.equal(origins.get('githubToken'), '.env: GITHUB_TOKEN');
  t.equal(config.slackBotToken?.reveal(), 'xoxb-other', 'the environment overrides the file');
  t.same(config.warnings, []);
  writeFileSync(
    join(cwd, '.env'),
    'REPOSITORY="a\nb" # two\nexport RETENTION=off\r\n\n# note\nghp_planted\n',
  );
  t.same(
    readConfig({ flags: {}, env: { REPOSITORY: 'acme/shop' }, cwd }).config.warnings,
    ['.env, line 6, has no "=" and sets nothing. Write NAME=value.'],
    'the line is named and not shown',
  );
});

t.test('init writes nothing that doctor would reject', async (t) => {
  const cwd = t.testdir({ plain: {} });
  const init = (args: readonly string[], env = {}) => culprit(['init', '--yes', ...args], cwd, env);
  const [plain, bare, app, quoted, json, none, nowhere] = await Promise.all([
    init(['--repository', 'plain']),
    init(['--repository', 'acme/shop']),
    init(['--repository', 'acme/shop', '--github-app-id', '7', '--github-app-key', 'none.pem']),
    init(['--repository', 'acme/shop'], { GITHUB_TOKEN: "two\nlines'" }),
    init(['--json', '--repository', 'plain']),
    init([]),
    init(['--repository', 'plain', '--config', 'none/culprit.json']),
  ]);
  t.match(none, {
    code: 2,
    stderr: /Without a terminal, culprit init needs --repository: .*Nothing was written/,
  });
  t.match(
    nowhere,
    { code: 2, stderr: /Cannot write in .*none \(ENOENT\)/, stdout: '' },
    'before any question',
  );
  t.match(plain, {
    code: 1,
    stdout: /FAIL +repository +There is no git repository/,
    stderr: /Nothing was written/,
  });
  t.match(bare, { code: 2, stderr: /needs a token or an App\. Set GITHUB_TOKEN in the environment/ });
  t.match(app, { code: 2, stderr: /--github-app-key must be a PEM text or the path/ });
  t.match(quoted, { code: 1, stderr: /GITHUB_TOKEN must not contain quotes/ });
  t.match(JSON.parse(json.stdout), { error: { detail: /repository: There is no git/ }, exit_code: 1 });
  t.same(readdirSync(cwd), ['plain']);
});

t.test('an address for cloning is understood by the name of its host', (t) => {
  const cwd = t.testdir({ 'culprit.json': '{}' });
  const of = (repository: string, more: object = {}) => {
    const member = { gitlabUrl: 'https://git.example.org/gl', ...more, projects: { shop: { repository } } };
    writeFileSync(join(cwd, 'culprit.json'), JSON.stringify(member));
    const read = (env: Record<string, string>) => readConfig({ flags: {}, env, cwd }).config;
    t.equal(read({ REPOSITORY: repository }).repository, read({}).projects.shop?.repository);
    return read({}).projects.shop?.repository;
  };
  for (const [text, address] of [
    ['https://github.com/acme/shop', 'acme/shop'],
    ['https://GitHub.com/acme/shop.git', 'acme/shop'],
    ['https://github.com:443/acme/shop', 'acme/shop'],
    ['HTTPS://github.com/acme/shop', 'acme/shop'],
    ['https://ada:hunter2@github.com/acme/shop/', 'acme/shop'],
    ['git@github.com:acme/shop.git', 'acme/shop'],
    ['ssh://git@github.com:22/acme/shop.git', 'acme/shop'],
    ['https://git.example.org/gl/acme/team/shop.git', 'gitlab:acme/team/shop'],
    ['git@git.example.org:acme/team/shop.git', 'gitlab:acme/team/shop'],
    ['https://codeberg.org/acme/shop', 'forgejo:acme/shop'],
    ['acme/shop', 'acme/shop'],
    ['./shop', join(cwd, 'shop')],
  ] as const)
    t.equal(of(text), address, text);
  const { githubApiUrl, ...forge } = {
    githubApiUrl: 'https://ghe.example.org/api/v3',
    forgejoUrl: 'https://[::1]:3000',
  };
  t.equal(of('https://ghe.example.org/acme/shop', { githubApiUrl }), 'acme/shop');
  t.equal(of('http://[::1]:3000/acme/shop', forge), 'forgejo:acme/shop');
  for (const [text, more] of [
    ['https://ada:hun/ter2@nowhere.example/acme/shop', {}],
    ['git@nowhere.example:acme/shop', {}],
    ['https://github.com/acme/shop', { githubApiUrl }],
    ['https://gitlab.com/acme/shop', {}],
  ] as const)
    t.throws(() => of(text, more), {
      code: 'configuration',
      message:
        /^Which system runs on (nowhere\.example|git(hub|lab)\.com) is not known\. Write gitlab:group\/project/,
    });
  t.end();
});

t.test('property: where a text stops being JSON agrees with the parser of this Node', (t) => {
  t.same(jsonProblem('{\n  "corePort": 1\r\n  "edgePort": 2\n}'), { line: 3, column: 3 }, 'a missing comma');
  t.same(jsonProblem('{\n  "corePort": 1\n'), { line: 3, column: 1 }, 'the end');
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const changed = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '1', '-', '.', 'e', '\n', 'x'),
    )
    .map(([text, at, removed, added]) => {
      const start = at % (text.length + 1);
      return text.slice(0, start) + added + text.slice(start + removed);
    });
  fc.assert(
    fc.property(fc.oneof(fc.json(), changed), (text) => (jsonProblem(text) === null) === parses(text)),
    { numRuns: 2_000 },
  );
  t.end();
});

const noTerminal = spawnSync('script', ['--version']).status !== 0 && 'needs script (util-linux)';

t.test(
  'init asks at a terminal, hides secrets, and Ctrl-C leaves nothing',
  { skip: noTerminal },
  async (t) => {
    const cwd = t.testdir();
    crashingRepository(join(cwd, 'shop'));
    const asked = terminal(t, 'init --skip-checks', cwd);
    for (const [question, answer] of [
      ['Repository that crashes', 'nowhere:x'],
      ['Repository that crashes', 'shop'],
      ['Create issues in', 'acme/issues'],
      ['Id of a GitHub App', ''],
      ['GitHub token', 'github_pat_typed'],
      ['Ollama model', ''],
      ['Slack channel', ''],
    ] as const) {
      await asked.shows(question);
      asked.type(`${answer}\r`);
    }
    t.match(await asked.ended, /Next: npx culprit up/);
    t.notMatch(await asked.ended, /github_pat_typed/, 'a typed secret is not shown');
    t.match(readFileSync(join(cwd, '.env'), 'utf8'), /^GITHUB_TOKEN='github_pat_typed'$/m);
    t.match(JSON.parse(readFileSync(join(cwd, 'culprit.json'), 'utf8')), {
      publishRepository: 'acme/issues',
    });

    const empty = t.testdir();
    mkdirSync(join(empty, 'here'));
    const stopped = terminal(t, 'init', join(empty, 'here'));
    await stopped.shows('Repository that crashes');
    stopped.type('\u0003');
    t.match(await stopped.ended, /Stopped\. Nothing was written/);
    t.same(readdirSync(join(empty, 'here')), []);
  },
);

t.test(
  'init asks again with the reason, and keeps the answers when the end fails',
  { skip: noTerminal },
  async (t) => {
    const cwd = t.testdir({ plain: {} });
    crashingRepository(join(cwd, 'shop'));
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const asked = terminal(t, 'init', cwd, { CORE_PORT: String(port) });
    const answer = async (question: string, text: string) => {
      await asked.shows(question);
      asked.type(`${text}\r`);
    };
    await answer('Repository that crashes', 'plain');
    await asked.shows('There is no git repository at');
    await answer('Repository that crashes', 'git@git.example.org:acme/shop.git');
    await asked.shows('Which system runs on git.example.org is not known');
    await answer('Repository that crashes', 'shop');
    await answer('Create issues in', 'outbox:');
    for (const question of ['Ollama model', 'Slack channel']) await answer(question, '');
    await asked.shows('is in use by another program');
    await answer('A check failed', 'no');
    await asked.shows('Your answers are kept');
    taken.close();
    await asked.shows(join(cwd, 'shop'));
    await answer(']', '');
    await answer('Create issues in', '-');
    for (const question of ['Ollama model', 'Slack channel']) await answer(question, '');
    t.match(await asked.ended, /Next: npx culprit up/);
    const written = JSON.parse(readFileSync(join(cwd, 'culprit.json'), 'utf8'));
    t.same(written, { repository: join(cwd, 'shop'), envFile: join(cwd, '.env') });
  },
);

/** A command in a real terminal. */
function terminal(t: Test, line: string, cwd: string, env: object = {}) {
  const command = `${process.execPath} ${BIN} ${line}`;
  const child: ChildProcess = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, ...PORTS, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let text = '';
  let read = 0;
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
    child.emit('more');
  });
  child.once('close', () => child.emit('more'));
  return {
    type: (keys: string) => void child.stdin?.write(keys),
    async shows(words: string) {
      for (let at = -1; ; await new Promise((resolve) => child.once('more', resolve))) {
        if (child.exitCode !== null) throw new Error(`It ended: ${text}`);
        at = text.indexOf(words, read);
        if (at < 0) continue;
        read = at + words.length;
        return;
      }
    },
    ended: new Promise<string>((resolve) => child.once('close', () => resolve(text))),
  };
}

t.test('report reads the variables of each continuous integration', async (t) => {
  const sha = 'a'.repeat(40);
  const actions = {
    GITHUB_SHA: sha,
    GITHUB_REF_NAME: 'main',
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_RUN_ID: '1399',
    GITHUB_RUN_NUMBER: '148',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_JOB: 'test',
  };
  const page = (number: string) => `https://git.example/acme/shop/actions/runs/${number}`;
  const run = { commit: sha, branch: 'main' };
  t.same(ciRunOf({ ...actions, GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://git.example' }), {
    ...run,
    ...{ url: page('1399'), id: '1399/2/test' },
  });
  const forgejo = { GITHUB_ACTIONS: 'true', GITEA_ACTIONS: 'true', FORGEJO_ACTIONS: 'true' };
  t.same(
    ciRunOf({ ...actions, ...forgejo, GITHUB_SERVER_URL: 'https://git.example/' }),
    { ...run, url: page('148'), id: '1399/2/test' },
    'Forgejo names a run’s page by its number in the repository',
  );
  const gitlab = {
    CI_COMMIT_SHA: sha,
    CI_COMMIT_REF_NAME: 'main',
    CI_JOB_URL: 'https://gitlab.example/acme/shop/-/jobs/7',
    CI_JOB_ID: '7',
  };
  t.same(ciRunOf(gitlab), { ...run, url: gitlab.CI_JOB_URL, id: '7' });
  const jenkins = {
    GIT_COMMIT: sha,
    GIT_BRANCH: 'origin/main',
    BUILD_URL: 'https://jenkins.example/job/shop/12/',
    BUILD_TAG: 'jenkins-shop-12',
  };
  t.same(ciRunOf(jenkins), { ...run, url: jenkins.BUILD_URL, id: 'jenkins-shop-12' }, 'without the remote');
  const buildkite = {
    BUILDKITE_COMMIT: sha,
    BUILDKITE_BRANCH: 'main',
    BUILDKITE_BUILD_URL: 'https://buildkite.com/acme/shop/builds/12',
    BUILDKITE_JOB_ID: '0190046e',
  };
  t.same(ciRunOf(buildkite), { ...run, url: buildkite.BUILDKITE_BUILD_URL, id: '0190046e' });
  t.same(ciRunOf({}), { commit: null, branch: null, url: null, id: null });
});

t.test('the page of tasks names every command, method of the client and page of settings', (t) => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const rows = read('docs/guides/tasks.md')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const column = (at: number) => rows.map((row) => row.split(' | ')[at] ?? '').join('\n');
  const missing = (names: readonly string[], at: number, named: RegExp) => {
    const found = new Set(column(at).match(named));
    return names.filter((name) => !found.has(name));
  };
  const commands = COMMANDS.map(({ name }) => name);
  t.same(missing(commands, 2, /(?<=`(?:culprit )?)[a-z-]+/g), [], 'commands');
  t.same(missing(Object.keys(OPERATIONS), 3, /(?<=`)\w+(?=`)/g), [], 'methods');
  const tabs = read('packages/board/src/settings/settings-page.tsx').matchAll(/label: '(.*?)'/g);
  for (const [, label] of tabs) t.match(column(1), `Settings, ${label}`);
  t.end();
});

t.test(
  'secrets: keys of doors for each configured project; those of an unconfigured default stay, with a warning',
  (t) => {
    const shops = { shop: { repository: './shop' }, cart: { repository: './cart' } };
    const cwd = t.testdir({ shop: {}, cart: {}, 'culprit.json': JSON.stringify({ projects: shops }) });
    const load = (options: LoadOptions = {}) => loadConfig({ cwd, env: {}, ...options });
    const ofProjects = ({ sdkKeys, serviceTokens, trackerHookSecret }: Config) =>
      [sdkKeys, serviceTokens, trackerHookSecret].map((all) => all.map(({ project }) => project));
    const first = load();
    t.same(
      ofProjects(first.config),
      Array(3).fill(['shop', 'cart']),
      'one key of each door for each project',
    );
    t.equal(new Set(first.config.sdkKeys.map(({ key }) => key)).size, 2);
    t.same(first.config.warnings, []);
    const urls = {
      edgeUrl: 'http://127.0.0.1:8001',
      coreUrl: '',
      boardUrl: '',
      servedBy: '',
      onTerminal: true,
    };
    for (const { key, project } of first.config.sdkKeys)
      t.ok(banner({ ...first, ...urls }).includes(`http://${key}@127.0.0.1:8001/1  (project ${project})`));
    const token = first.config.serviceTokens[1]?.token.reveal() ?? 'none';
    t.ok(banner({ ...first, ...urls }).includes(`${token}  (project cart, kept in that file)`));
    t.same(load().config.sdkKeys, first.config.sdkKeys, 'they stay');
    t.same(load().fresh, []);
    t.same(
      load({ readOnly: true }).config.sdkKeys,
      first.config.sdkKeys,
      'a command that only reads finds them',
    );
    const withMore = load({ flags: { repository: './shop' } });
    t.same(ofProjects(withMore.config)[0], ['shop', 'cart', 'default'], 'REPOSITORY configures default');
    t.same(
      withMore.fresh.map(({ project }) => project),
      ['default', 'default', 'default'],
    );
    const later = load();
    t.same(
      ofProjects(later.config)[0],
      ['shop', 'cart', 'default'],
      'its keys work when it is configured no more',
    );
    t.equal(later.config.warnings.length, 1);
    t.match(
      later.config.warnings[0],
      /keys of the project "default", which is not configured.* shop, cart .*remove trackerHookSecret, serviceToken, sdkKey/,
    );
    writeFileSync(join(cwd, 'culprit.json'), JSON.stringify({ projects: { shop: shops.shop } }));
    t.match(load().config.warnings, [/"default"/, /project "cart", .* the edge refuses .*projects\.cart/]);
    const own = load({ env: { SDK_KEYS: 'shop:0123456789abcdef' } });
    t.same(own.config.sdkKeys, [{ project: 'shop', key: '0123456789abcdef' }]);
    t.end();
  },
);

t.test(
  'dsn: each project’s addresses, where its secrets are, and programs that run as they are printed',
  async (t) => {
    const shops = { 'my.shop': { repository: './shop' }, cart: { repository: './cart' } };
    const cwd = t.testdir({ shop: {}, cart: {}, 'culprit.json': JSON.stringify({ projects: shops }) });
    const nothing = await inProcess(['dsn', '--data', 'none'], join(cwd, 'shop'));
    t.match(nothing, {
      code: 3,
      stderr: /No project is known: no host runs in .*none, and there is no .*shop\/culprit\.json\./,
    });
    const { config } = loadConfig({ cwd, env: {} });
    const secrets = config.serviceTokens.map(({ token }) => token.reveal());
    const server = await edge(t, {
      trackers: await composeTrackers(config, silentLogger, new AbortController().signal),
    });
    const url = `http://127.0.0.1:${server.port}`;
    const at = ['--edge-url', url];
    const [early, all, one, json, sent] = await Promise.all([
      culprit(['dsn', 'cart', '--data', 'later'], cwd),
      culprit(['dsn', ...at], cwd),
      culprit(['dsn', 'my.shop', '--for', 'node', ...at], cwd),
      culprit(['dsn', 'my.shop', '--for', 'curl', '--json', ...at], cwd),
      culprit(['trigger', 'node', '--project', 'cart', '--dry-run', '--print-secret', ...at], cwd),
    ]);
    crashingRepository(join(cwd, 'cart'));
    const aLine = 'trigger --at src/cart.js:4 --dry-run --print-secret --repository cart'.split(' ');
    t.match((await culprit(aLine, cwd)).stdout, secrets[1], 'a crash at a line goes to its project');
    t.match(early.stdout, /DSN +none yet: culprit up generates its key\n.*\n +Token +none yet: culprit up/);
    for (const { project, key } of config.sdkKeys) {
      t.ok(all.stdout.includes(`Project ${project}\n  DSN          ${url.replace('//', `//${key}@`)}/1\n`));
      const place = `"projects.${project}.trackerHookSecret" in ${join(cwd, '.culprit/secrets.json')}`;
      t.ok(all.stdout.includes(place), place);
    }
    for (const secret of secrets) t.notOk(`${all.stdout}${json.stdout}`.includes(secret), 'no secret');
    const several = await inProcess(['dsn', '--for', 'node'], cwd);
    t.match(several, { code: 2, stderr: /Name a project: my\.shop, cart\./ });
    const keyless = await inProcess(['dsn', 'cart', '--for', 'node', '--data', 'later'], cwd);
    t.match(keyless, { code: 3, stderr: /The project cart has no DSN: none yet: culprit up/ });
    t.match(sent.stdout, `x-service-token: ${secrets[1]}`, 'a crash of a project has its token');
    const nobody = await inProcess(['trigger', 'node', '--project', 'bank'], cwd);
    t.match(nobody, { code: 3, stderr: /No project "bank" is configured\. Projects: my\.shop, cart\./ });
    const none = await inProcess(['dsn', 'crat'], cwd);
    t.match(none, { code: 3, stderr: /No project "crat" is configured\. Did you mean cart\?/ });

    const folder = join(cwd, 'app');
    mkdirSync(folder);
    writeFileSync(join(folder, 'instrument.mjs'), one.stdout);
    writeFileSync(join(folder, 'app.mjs'), "throw new RangeError('from the snippet');");
    const run = promisify(execFile);
    const node = run(process.execPath, ['--import', './instrument.mjs', 'app.mjs'], { cwd: folder });
    await t.rejects(node, { code: 1, stderr: /from the snippet/ }, 'the program crashed');
    const { snippet } = JSON.parse(json.stdout) as { snippet: string };
    t.match(server.guard().outcomes, { sdk: { accepted: 1 } });
    const hasCurl = spawnSync('curl', ['--version']).status === 0;
    await t.test('the program for curl', { skip: hasCurl ? false : 'needs curl' }, async (t) => {
      t.match(JSON.parse((await run('sh', ['-c', snippet])).stdout), { status: 'accepted' });
      t.match(server.guard().outcomes, { native: { accepted: 1 } });
    });
    const [sender] = sendersOf({ config, generated: [] });
    for (const row of SNIPPETS)
      t.notMatch(sender && snippetFor(row, sender, url), /\{(dsn|edge|token line)\}/, row.label);
  },
);
