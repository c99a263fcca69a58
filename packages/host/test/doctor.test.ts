import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { storage } from '@culprit/connectors/storage';
import { type Check, createEngine, DEFAULT_POLICY, type Engine, silentLogger } from '@culprit/core';
import { standardSanitiser } from '@culprit/core/internal/pipeline/sanitise/sanitise';
import { startGithubDouble } from '@culprit/doubles/github';
import t, { type Test } from 'tap';
import { checkClock, checkDiskSync } from '../src/cli/doctor-machine.js';
import { checkSurroundings } from '../src/cli/doctor-services.js';
import { auditKeyFor, auditKeyPath, auditKeyProblem } from '../src/config/generated-secrets.js';
import { readConfig } from '../src/config/read-config.js';
import { noteRunning, readRunning } from '../src/config/running.js';
import { createHealth } from '../src/server/health.js';
import { createMetrics } from '../src/server/metrics.js';
import { healthRoutes } from '../src/server/routes/health.js';
import { crashingRepository } from './support/crashing-repository.js';
import { culprit } from './support/run-culprit.js';

interface Line {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}
type Lines = Readonly<Record<string, Line | undefined>>;

/** Results of `culprit doctor --json` for a configuration, by name; ports are free unless given. */
async function examine(env: Readonly<Record<string, string>>): Promise<{ code: number; lines: Lines }> {
  const { code, stdout, stderr } = await culprit(['doctor', '--json'], {
    env: { EDGE_PORT: '0', CORE_PORT: '0', ...env },
  });
  if (stdout === '') throw new Error(stderr);
  const { ok, summary, checks } = JSON.parse(stdout) as {
    ok: boolean;
    summary: unknown;
    checks: readonly Line[];
  };
  t.equal(code, ok ? 0 : 1, 'the exit code agrees');
  const count = (wanted: Line['status']) => checks.filter(({ status }) => status === wanted).length;
  t.same(summary, { passed: count('ok'), warnings: count('warn'), failed: count('fail') });
  return { code, lines: Object.fromEntries(checks.map((line) => [line.name, line])) };
}

const fails = (t: Test, line: Line | undefined, fix: RegExp) =>
  t.match(line, { status: 'fail', detail: fix });
const warns = (t: Test, line: Line | undefined, fix: RegExp) =>
  t.match(line, { status: 'warn', detail: fix });

t.test('a correct installation', async (t) => {
  const { directory, head } = crashingRepository(join(t.testdir(), 'shop'));
  const DATA_DIR = join(t.testdirName, 'data');
  const env = { DATA_DIR, REPOSITORY: directory };
  const { code, lines } = await examine(env);
  t.equal(code, 0);
  t.same(
    Object.values(lines).filter((line) => line?.status !== 'ok'),
    [],
  );
  t.notOk(existsSync(DATA_DIR), 'doctor writes nothing');
  t.match(lines.doors, {
    detail: /^open: errortracker, native, otlp, sentry; closed: sentry-hook \(SENTRY_HOOK_SECRETS\)/,
  });
  t.match(lines['audit key'], { detail: /audit\.key does not exist yet; core generates it/ });
  t.match(lines.configuration, { detail: /there is no .*culprit\.json$/ });
  t.match(lines.connectors, { detail: 'only the built-in ones' });
  t.match(lines.storage, { detail: /does not exist yet/ });
  const names = [
    'configuration',
    'secrets',
    'data files',
    'clock',
    'disk sync',
    'disk space',
    'write access',
  ];
  const more = [
    'http server',
    'storage policy',
    'edge port',
    'core port',
    'repository',
    'model',
    'chat',
    'storage',
    'git',
  ];
  for (const name of [...names, ...more]) t.ok(lines[name]?.detail, name);
  t.match(lines.repository, { detail: new RegExp(`at ${head.slice(0, 12)}, 5 files`) });
  t.match(lines.secrets, { detail: /culprit up generates INTERNAL_GATEWAY_SECRET/ });
  const text = await culprit(['doctor'], { env: { ...env, EDGE_PORT: '0', CORE_PORT: '0' } });
  t.match(text.stdout, /^ok {4}configuration +valid; data in /, 'as text: one line each');
  const passed = Object.keys(lines).length;
  t.match(text.stdout, new RegExp(`\n\n${passed} checks passed, 0 warnings, 0 problems\\.\n$`));

  await t.test('while another Culprit uses the data directory', async (t) => {
    const health = createHttpServer((_request, response) => response.end('{"status":"ok"}'));
    t.teardown(() => health.close());
    const url = await new Promise<string>((resolve) => {
      health.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(health.address() as AddressInfo).port}`),
      );
    });
    const engine = await createEngine({ connectors: [storage({ url: `file:${DATA_DIR}` })] });
    t.teardown(() => engine.close());
    const forget = noteRunning(DATA_DIR, 'core', url);
    t.match((await examine(env)).lines['core port'], { detail: `Culprit is already running at ${url}` });
    const note = join(DATA_DIR, 'running-core.json');
    const written = readFileSync(note, 'utf8');
    for (const [name, spoil] of Object.entries({
      'that others can write': () => chmodSync(note, 0o666),
      'of another machine': () => writeFileSync(note, written.replace('127.0.0.1', 'culprit.example')),
      'with more than an address': () => writeFileSync(note, written.replace(url, `${url}/'$(id)'`)),
      'that is a link': () => {
        renameSync(note, `${note}.aside`);
        symlinkSync(`${note}.aside`, note);
      },
    })) {
      spoil();
      t.equal(readRunning(DATA_DIR, 'core'), null, `no token is sent to the address in a note ${name}`);
      rmSync(note);
      writeFileSync(note, written, { mode: 0o600 });
    }
    t.match(readRunning(DATA_DIR, 'core'), { url });
    forget();
    const { code, lines } = await examine({ ...env, EDGE_PORT: new URL(url).port });
    t.equal(code, 1, 'as up, which refuses it');
    t.match(lines['core port'], { detail: 'any free port' });
    fails(t, lines['edge port'], /in use by a Culprit with another data directory .* EDGE_PORT/);
    t.match(lines.storage, { status: 'ok', detail: /a copy of it opens/ });
    t.match(lines.git, { status: 'ok' }, 'everything else is still checked');
  });
});

t.test('doctor and doctor --json leave a used data directory as it is, byte for byte', async (t) => {
  const { directory } = crashingRepository(join(t.testdir(), 'shop'));
  const DATA_DIR = join(t.testdirName, 'data');
  const engine = await createEngine({ connectors: [storage({ url: `file:${DATA_DIR}` })] });
  await engine.close();
  writeFileSync(join(DATA_DIR, 'secrets.json'), '{}', { mode: 0o600 });
  writeFileSync(join(DATA_DIR, 'audit.key'), 'k'.repeat(43), { mode: 0o600 });
  const contents = () =>
    readdirSync(t.testdirName, { recursive: true, withFileTypes: true })
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path, entry.isFile() ? readFileSync(path, 'base64') : ''];
      })
      .sort();
  const before = contents();
  t.ok(before.length > 5);
  const { lines } = await examine({ DATA_DIR, REPOSITORY: directory });
  t.match(lines.storage, { status: 'ok' });
  t.match(lines['audit key'], { detail: /audit\.key, next to the data/ });
  t.same(contents(), before);
});

t.test('every problem comes with its fix', async (t) => {
  const root = t.testdir({ plain: {}, file: '', data: {} });
  const data = join(root, 'data');
  const secrets = join(data, 'secrets.json');
  const kept = ['internalGatewaySecret', 'trackerHookSecret', 'serviceToken', 'sdkKey', 'reviewerToken'];
  writeFileSync(secrets, JSON.stringify(Object.fromEntries(kept.map((name) => [name, 'x'.repeat(32)]))));
  chmodSync(secrets, 0o644);
  chmodSync(data, 0o755);
  const taken = await listening();
  t.teardown(() => taken.close());
  const port = String((taken.address() as { port: number }).port);

  const first = await examine({
    ...{ DATA_DIR: data, REPOSITORY: join(root, 'plain'), STORAGE_URL: 'memory:' },
    ...{ SERVICE_TOKENS: 'shop:short', REVIEWER_TOKENS: 'ada:brief', EDGE_PORT: port },
    ...{ OLLAMA_MODEL: 'llama3', OLLAMA_HOST: `http://127.0.0.1:${port}` },
    ...{ SLACK_BOT_TOKEN: 'xoxb-x', SLACK_CHANNEL: 'C1', SLACK_API_URL: `http://127.0.0.1:${port}` },
  });
  t.equal(first.code, 1);
  fails(t, first.lines.secrets, /SERVICE_TOKENS, REVIEWER_TOKENS: shorter.*openssl rand -hex 32/);
  warns(t, first.lines['data files'], /Other users can read or change secrets\.json\. .*chmod -R go= /);
  warns(t, first.lines['data directory'], /Other users can read .*\. Run: chmod 700 /);
  warns(t, first.lines['storage policy'], /lost at every restart\. Set STORAGE_URL=file:/);
  fails(t, first.lines['edge port'], /in use by another program.*set EDGE_PORT \(up --edge-port\) or HOST/);
  fails(t, first.lines.repository, /no git repository at .*Set REPOSITORY to the top folder of a clone/);
  warns(t, first.lines.ollama, /Start the model server, or unset OLLAMA_MODEL/);
  warns(t, first.lines.slack, /Until then, decide on the board/);

  for (const DATA_DIR of [join(root, 'file/below'), '/proc/culprit']) {
    const { lines } = await examine({ DATA_DIR, REPOSITORY: join(root, 'plain') });
    fails(t, lines['write access'], /Cannot write to .*or set DATA_DIR/);
    fails(t, lines.storage, /see write access/);
    t.match(lines.git, { status: 'ok' }, 'other checks still run');
  }
  warns(
    t,
    (await examine({ DATA_DIR: data })).lines.projects,
    /^No project has a repository, .*Set REPOSITORY/,
  );
  const unknown = { DATA_DIR: join(root, 'new'), CONNECTORS: 'culprit-connector-nowhere' };
  fails(
    t,
    (await examine(unknown)).lines.engine,
    /is not installed in .*npm install culprit-connector-nowhere/,
  );
});

t.test('an external storage is not opened, because core may use it', async (t) => {
  const module = `
    import { writeFileSync } from 'node:fs';
    export const ports = ['runStore'];
    export const connector = () => ({
      id: 'my-store',
      setup: () => writeFileSync(new URL('opened', import.meta.url), ''),
    });`;
  const { directory } = crashingRepository(join(t.testdir({ 'store.mjs': module }), 'shop'));
  const env = {
    REPOSITORY: directory,
    DATA_DIR: join(t.testdirName, 'data'),
    CONNECTORS: join(t.testdirName, 'store.mjs'),
  };
  const { code, lines } = await examine(env);
  t.equal(code, 0);
  t.match(lines.storage, { status: 'ok', detail: 'my-store replaces STORAGE_URL; its core checks it' });
  t.match(lines.connectors, { detail: 'my-store (runStore)' });
  t.match(lines['storage policy'], { status: 'ok', detail: /of my-store/ });
  t.equal(lines['audit key'], undefined);
  t.match(lines.git, { status: 'ok' }, 'everything else is checked');
  const set = { ...env, AUDIT_KEY: 'k'.repeat(40), RETENTION: 'rejected=1d/1000' };
  warns(t, (await examine(set)).lines['storage policy'], /Without effect: AUDIT_KEY and RETENTION/);
  t.same(readdirSync(t.testdirName).sort(), ['shop', 'store.mjs']);
});

t.test('a shallow clone is warned of, with the command for its path', async (t) => {
  const { directory } = crashingRepository(join(t.testdir(), 'shop'));
  const shallow = join(t.testdirName, "it's shallow");
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${directory}`, shallow]);
  const { code, lines } = await examine({ DATA_DIR: join(t.testdirName, 'data'), REPOSITORY: shallow });
  t.equal(code, 0);
  t.match(lines.repository, { status: 'ok' });
  warns(t, lines.history, /shallow/);
  const command = lines.history?.detail.split('Run: ')[1] ?? '';
  execFileSync('sh', ['-c', command.replace(/\.$/, '')], { stdio: 'ignore' });
  t.notOk(existsSync(join(shallow, '.git/shallow')), `a shell runs it: ${command}`);
});

t.test('clock and slow disks', async (t) => {
  const shop = crashingRepository(join(t.testdir(), 'shop'));
  const github = await startGithubDouble({
    repositories: { 'acme/shop': { git: shop.directory } },
    tokens: {},
  });
  t.teardown(() => github.close());
  const { config } = readConfig({
    flags: {},
    env: { GITHUB_TOKEN: 'token', REPOSITORY: 'acme/shop', GITHUB_API_URL: github.url },
    cwd: t.testdirName,
  });
  const off = (seconds: number) => checkClock(github.url, () => Date.now() + seconds * 1_000);
  t.match(await off(0), { ok: true, detail: /^\d+ s off 127\.0\.0\.1/ });
  for (const seconds of [-90, 90])
    t.match(await off(seconds), { ok: false, detail: /timedatectl set-ntp true/ });
  t.match(await checkClock(github.url, () => 0), { ok: false, detail: /before 2026/ });
  t.match(await checkDiskSync({ ...config, dataDirectory: join(t.testdirName, 'disk') }), {
    detail: /fdatasync takes/,
  });
});

t.test('what a running core checks again', async (t) => {
  const { directory } = crashingRepository(join(t.testdir(), 'shop'));
  const DATA_DIR = join(t.testdirName, 'data');
  const { config } = readConfig({
    flags: {},
    env: { DATA_DIR, REPOSITORY: directory, STORAGE_URL: 'redis://:hidden-from-readers@127.0.0.1:1' },
    cwd: t.testdirName,
  });
  const checks = await checkSurroundings(config);
  const names = checks.map(({ name }) => name);
  const expected = [
    'configuration',
    'secrets',
    'clock',
    'disk sync',
    'disk space',
    'storage policy',
    'audit key',
  ];
  for (const name of [...expected, 'data directory', 'repository', 'systems', 'model', 'chat', 'sign-in'])
    t.ok(names.includes(name), name);
  t.notOk(JSON.stringify(checks).includes('hidden-from-readers'));
  t.same(readdirSync(t.testdirName), ['shop'], 'it leaves nothing');
});

t.test(
  'the health of a core: since when, the worst first, without secrets, and not asked too often',
  async (t) => {
    let looks = 0;
    let connectors: readonly Check[] = [{ name: 'storage', ok: true, detail: 'Durable.' }];
    let bill = Promise.resolve({ day: '2026-11-21', investigations: 0, tokens: 0, cost: null });
    const engine = {
      sanitiser: standardSanitiser,
      policy: DEFAULT_POLICY,
      model: () => null,
      investigationsToday: () => bill,
      check: async () => {
        looks += 1;
        return connectors;
      },
    } as unknown as Engine;
    let at = Date.parse('2026-11-21T10:00:00.000Z');
    let started = false;
    const around = { name: 'environment', ok: false, optional: true } as const;
    const health = createHealth({
      engine: () => (started ? engine : null),
      surroundings: async () => [
        { ...around, detail: 'Bearer abcdefghijklmnopqrstuvwxyz012345 is unknown.' },
        { ...around, detail: 'Another.' },
      ],
      now: () => at,
      logger: silentLogger,
    });
    const ready = healthRoutes({ health, metrics: createMetrics() }).find(
      ({ pattern }) => pattern === '/readyz',
    );
    const ask = ready?.handle as (request: unknown) => Promise<{ status: number; body: string }>;
    t.equal((await ask({})).status, 503, 'core is starting');
    started = true;
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask({})));
    t.ok(answers.every(({ status }) => status === 200));
    t.equal(looks, 1, 'fifty probes are one check');
    const first = await health.report();
    t.same(
      first.checks.map(({ name, state }) => `${name} ${state}`),
      ['environment degraded', 'environment degraded', 'storage ok'],
    );
    t.equal(first.state, 'degraded');
    t.notOk(JSON.stringify(first).includes('abcdefghijklmnop'), 'a detail is sanitised');

    connectors = [{ name: 'storage', ok: false, detail: 'No space.' }];
    at += 60_000;
    const failed = await health.report();
    t.match(failed.checks[0], { name: 'storage', state: 'failed', since: '2026-11-21T10:01:00.000Z' });
    t.match(failed.checks[1], { name: 'environment', since: '2026-11-21T10:00:00.000Z' });
    t.match(await ask({}), { status: 503, body: /^((?!No space).)*$/ });
    at += 60_000;
    t.match(
      (await health.report()).checks[0],
      { since: '2026-11-21T10:01:00.000Z' },
      'still the same failure',
    );

    bill = Promise.reject(new Error('no storage'));
    bill.catch(() => {});
    at += 60_000;
    const { checks } = await health.report();
    t.match(checks[1], { name: 'installation', state: 'failed' }, 'what cannot be read is one check of many');
    t.equal(checks.filter(({ name }) => name === 'environment').length, 2);
  },
);

function listening(): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

t.test('a lost audit key is not replaced without a word', (t) => {
  const cwd = t.testdir();
  const { config } = readConfig({ flags: {}, env: {}, cwd });
  const key = auditKeyFor(config);
  t.match(key, /^[\w-]{43}$/);
  t.equal(auditKeyFor(config), key);
  t.equal(auditKeyProblem(config), null);
  const path = auditKeyPath(config);
  for (const [change, problem] of [
    [() => rmSync(path), /audit\.key is gone .* Restore it from a backup/],
    [() => writeFileSync(path, 'short'), /does not contain an audit key/],
    [() => writeFileSync(path, `${'k'.repeat(43)}\n`), /audit\.key is not the key with which/],
  ] as const) {
    change();
    t.throws(() => auditKeyFor(config), { code: 'configuration', message: problem });
    t.match(auditKeyProblem(config), problem);
  }
  rmSync(`${path}.sha256`);
  t.equal(auditKeyFor(config), 'k'.repeat(43), 'as the error says');
  writeFileSync(path, `${key}\n`);
  t.throws(() => auditKeyFor(config), { code: 'configuration' });
  t.end();
});

t.test('a project that no setting defines is warned of with the nearest name', (t) => {
  const cwd = t.testdir();
  writeFileSync(join(cwd, 'culprit.json'), '{"projects":{"shop":{}}}');
  const named = {
    ...{
      SDK_KEYS: 'shop:a,shpo:b',
      SERVICE_TOKENS: 'zebra/ci:t1,x:t2',
      TRACKER_HOOK_SECRET: 'shopp=c,hunter2=d',
    },
    ...{ OIDC_ROLES: 'ops=reviewer@shp', OIDC_PROJECTS: 'web=shop,all=*', SLACK_REVIEWERS: 'U1:ada=sohp' },
  };
  const { warnings } = readConfig({ flags: {}, env: named, cwd }).config;
  t.match(warnings, [
    /^TRACKER_HOOK_SECRET names a project without settings, .* Did you mean shop\?$/,
    /^TRACKER_HOOK_SECRET names a project without settings, .* Add it to "projects" in culprit\.json\.$/,
    /^SERVICE_TOKENS names the project zebra .* Add it to "projects"/,
    /^SERVICE_TOKENS has an entry for the project "default", which is not .* Name one of shop \(format: \[project\//,
    /^SDK_KEYS names the project shpo .* Did you mean shop\?$/,
    /^OIDC_ROLES names the project shp .* Did you mean shop\?$/,
    /^SLACK_REVIEWERS names the project sohp .* Did you mean shop\?$/,
  ]);
  t.equal(warnings.length, 7);
  t.notMatch(warnings, /hunter2/, 'a secret that contains = is not repeated');
  t.end();
});
