import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { removeFolder } from '../../../bench/faults/lib/folders.mjs';
import { onOwnPort } from '../src/cli/on-own-port.js';
import { supervise } from '../src/cli/supervise.js';
import { type LoadOptions, loadConfig, readClientConfig } from '../src/config/load-config.js';
import { commandName } from '../src/config/own-name.js';
import { cartCrash, crashingRepository } from './support/crashing-repository.js';
import { httpClient } from './support/http-client.js';
import { BIN } from './support/run-culprit.js';
import { startCulprit as culprit } from './support/start-culprit.js';
import { openSocket } from './support/websocket-client.js';

t.test('help, version and usage errors', async (t) => {
  const cwd = t.testdir();
  const [help, version, typo, flag, flagHelp] = await Promise.all([
    culprit([], cwd).ended,
    culprit(['--version'], cwd).ended,
    culprit(['edeg'], cwd).ended,
    culprit(['up', '--edge-prot', '0'], cwd).ended,
    culprit(['core', '--help'], cwd).ended,
  ]);
  t.match(help, { code: 0, stdout: /up +start the edge and core/ });
  const stated = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version;
  t.match(version, { code: 0, stdout: `culprit ${stated} ` });
  t.match(await culprit(['help', 'core'], cwd).ended, { code: 0, stdout: flagHelp.stdout });
  t.match(JSON.parse((await culprit(['version', '--json'], cwd).ended).stdout), {
    version: stated,
  });
  t.match(typo, { code: 2, stderr: /Unknown command "edeg". Did you mean `culprit edge`\?/ });
  t.match(flag, { code: 2, stderr: /--edge-prot is not a flag of culprit up. Did you mean --edge-port\?/ });
  t.match(flagHelp, { code: 0, stdout: /--core-port <0–65535>/ });
  const [open, later, doctor, ...folders] = await Promise.all([
    culprit(['up', '--host', '0.0.0.0'], cwd).ended,
    culprit(['core'], cwd, { GITHUB_TOKEN: 'hunter2' }).ended,
    culprit(['doctor'], cwd).ended,
    culprit(['connector', 'new', 'pager', '--port', 'notifier', '--in', '/proc/none'], cwd).ended,
    culprit(['connector', 'new', 'pager', '--port', 'notifier', '--in', process.execPath], cwd).ended,
  ]);
  for (const folder of folders) t.match(folder, { code: 1, stderr: /Cannot create .* with --in\.\n$/ });
  t.match(open, { code: 1, stderr: /is not loopback.*REVIEWER_TOKENS/ });
  t.match(later, {
    code: 1,
    stderr: /GITHUB_TOKEN is set, but no repository is on GitHub\. Set REPOSITORY=owner\/name/,
  });
  t.notMatch(later.stderr + later.stdout, /hunter2/);
  t.match(doctor, { code: 0, stdout: /warn +projects +No project has.*\n(?:.*\n)*ok +storage/ });
});

t.test('a clone is built once', async (t) => {
  const clone = t.testdir({ packages: { host: { bin: {} } }, scripts: {} });
  const bin = join(clone, 'packages/host/bin/culprit.js');
  copyFileSync(fileURLToPath(new URL('../bin/culprit.js', import.meta.url)), bin);
  const built = join(clone, 'packages/host/dist/bin');
  writeFileSync(
    join(clone, 'scripts/build.mjs'),
    `import { mkdirSync, writeFileSync } from 'node:fs';
    mkdirSync(${JSON.stringify(built)}, { recursive: true });
    writeFileSync(${JSON.stringify(join(built, 'culprit.js'))}, 'console.log(process.argv[2]);');`,
  );
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  const run = () => spawnSync(process.execPath, [bin, 'version'], { encoding: 'utf8' });
  t.match(run(), { status: 0, stdout: 'version\n', stderr: /building, only this once/ });
  t.match(run(), { status: 0, stdout: 'version\n', stderr: '' });
  writeFileSync(join(clone, 'scripts/build.mjs'), 'process.exit(3);');
  await removeFolder(built);
  t.match(run(), { status: 3, stdout: '' }, 'a failed build ends it');
});

t.test('init prints a command that a shell reads as meant, and leaves --env-file to Node', async (t) => {
  const named = ['--repository', '.', '--config', "it's.json", '--secrets-file', 'other.env'];
  t.match(await culprit(['init', '--yes', '--skip-checks', ...named], t.testdir()).ended, {
    code: 0,
    stdout: /Wrote .*other\.env .*\n\nNext: npx culprit up --config '.*it'\\''s\.json'\n/,
  });

  const folder = t.testdir({ here: { '.env': 'A=b' }, there: {} });
  const away = ['init', '--yes', '--skip-checks', '--repository', '.', '--config', '../there/culprit.json'];
  t.match(
    await culprit(away, join(folder, 'here')).ended,
    { code: 0 },
    'the secrets are beside the settings',
  );
  t.same(readdirSync(join(folder, 'there')).sort(), ['.env', 'culprit.json']);
  t.equal(readFileSync(join(folder, 'here/.env'), 'utf8'), 'A=b');
});

t.test('scrub shows what would be redacted, where and why', async (t) => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const event = {
    message: `with ${token} for TCK-77`,
    user: { id: 7, email: 'bob@example.com' },
    request: { headers: { Authorization: 'Bearer abcdefgh12345678' } },
    extra: { author: 'Ada', order: '0123456789abcdef' },
  };
  const cwd = t.testdir({
    'crash.json': JSON.stringify(event),
    'crash.envelope': `{}\n{"type":"attachment","length":3}\n\u0000\n\n\n{"type":"event"}\n${JSON.stringify(event)}\n`,
    'app.log': `2026 login failed: password=hunter2 by ${token}\n`,
    'clean.json': '{"message":"order 4711 of Ada failed"}',
    'culprit.json': JSON.stringify({
      scrub: { rules: [{ id: 'ticket', what: 'Ticket numbers', pattern: 'TCK-\\d{1,6}' }] },
    }),
    'slow.json': JSON.stringify({ scrub: { rules: [{ id: 'slow', pattern: '(a+)+' }] } }),
  });
  const scrub = (...args: string[]) => culprit(['scrub', ...args], cwd).ended;
  const emails = culprit(['scrub', 'crash.json'], cwd, { SCRUB_EMAIL: '0' }).ended;
  const [crash, json, enveloped, log, clean] = await Promise.all([
    scrub('crash.json'),
    scrub('crash.json', '--json', '--show'),
    scrub('crash.envelope'),
    scrub('app.log'),
    scrub('clean.json'),
  ]);
  const [slow, missing, none, kept] = await Promise.all([
    scrub('crash.json', '--config', 'slow.json'),
    scrub('nowhere.json'),
    scrub(),
    emails,
  ]);
  t.equal(crash.code, 0);
  t.match(
    crash.stdout,
    /^message\n {2}redacted {2}40 characters, 6 characters\n {2}why {7}GitHub token; Ticket numbers \(github_token, ticket\)\n/,
  );
  t.match(crash.stdout, 'result    "with [redacted:github_token] for [redacted:ticket]"');
  t.match(crash.stdout, /request\.headers\.Authorization\n.*\n.*a member named Authorization contains/);
  t.match(crash.stdout, /4 redactions in 3 places\.\n$/);
  t.notMatch(crash.stdout, new RegExp(`${token}|bob@|abcdefgh|author`), 'only with --show');
  t.match(JSON.parse(json.stdout), {
    findings: [{ path: 'message', rules: ['github_token', 'ticket'], taken: [token, 'TCK-77'] }, {}, {}],
  });
  t.match(enveloped.stdout, /^event\[1\]\.message\n/);
  t.match(log.stdout, /^\(text\)\n(?:.*\n)*.*"2026 login failed: password=\[redacted:password\] by/);
  t.match(clean, { code: 0, stdout: 'Nothing would be redacted.\n' });
  t.notMatch(kept.stdout, 'user.email');
  t.match(slow, { code: 1, stderr: /scrub\.rules\.0\.pattern must have bounded repeats/ });
  t.match(missing.stderr, /Cannot read nowhere\.json \(ENOENT\)/);
  t.match(none.stderr, /Name one file/);
});

t.test('up: both servers, a crash through them, kill -9 of either, SIGTERM', async (t) => {
  const cwd = t.testdir();
  const repository = crashingRepository(join(cwd, 'shop'));
  const args = ['up', '--data', 'data', '--repository', 'shop', '--edge-port', '0', '--core-port', '0'];
  const up = culprit(args, cwd);
  t.teardown(() => up.child.kill('SIGKILL'));
  const coreLine = await up.line(({ msg }) => msg === 'core is listening');
  const edgeLine = await up.line(({ msg }) => msg === 'the edge is listening');
  const { edge, core, board } = await up.line(({ msg }) => msg === 'culprit is up');
  t.equal(core, `http://127.0.0.1:${coreLine.port}`);
  t.equal(edge, `http://127.0.0.1:${edgeLine.port}`);
  t.equal(board, core);

  const secrets = JSON.parse(readFileSync(join(cwd, 'data/secrets.json'), 'utf8'));
  const corePort = coreLine.port ?? 0;
  const reviewer = { authorization: `Bearer ${secrets.reviewerToken}` };
  const api = httpClient(corePort, { host: `127.0.0.1:${corePort}`, ...reviewer });
  const listen = culprit(['listen', '--data', 'data', '--format', 'json'], cwd);
  const feed = await openSocket(corePort, '/api/v1/live', reviewer);
  t.match(await feed.next(), { type: 'snapshot', runs: [] });
  const accepted = await httpClient(edgeLine.port ?? 0)({
    method: 'POST',
    path: '/api/v1/telemetry/ingest',
    headers: { 'content-type': 'application/json', 'x-service-token': secrets.serviceToken },
    body: cartCrash('crash-1', repository.head),
  });
  t.match([accepted.status, accepted.json], [202, { id: 'crash-1', status: 'accepted' }]);
  let message = await feed.next();
  while (message.type !== 'run') message = await feed.next();
  const id = (message.run as { run_id: string }).run_id;

  await listen.line(({ type, run }) => type === 'snapshot' || run !== undefined);
  process.kill(coreLine.pid, 'SIGKILL');
  const restarted = await up.line(({ msg, name }) => name === 'core' && msg === 'core is listening');
  t.equal(restarted.port, corePort, 'the port is kept');
  t.not(restarted.pid, coreLine.pid);
  t.same((await api({ method: 'POST', path: `/api/v1/runs/${id}/gate1/approve` })).json, {
    status: 'analyzed',
    state: 'staged_draft',
  });
  const published = await api({ method: 'POST', path: `/api/v1/runs/${id}/gate2/approve` });
  t.match(published.json, { status: 'published', issue_url: `${core}/outbox/1` });
  const run = (await api({ path: `/api/v1/runs/${id}` })).json;
  t.match(run.draft.body, `${core}/code/default/${repository.head}/src/cart.js#L4`);

  t.match(await culprit(args, cwd).ended, {
    code: 1,
    stdout: '',
    stderr: new RegExp(
      `^culprit: Culprit already runs with .*data: the board and core at ${core}, the edge at ${edge}\\.[^\n]*\n$`,
    ),
  });
  const elsewhere = join(cwd, 'elsewhere');
  mkdirSync(elsewhere);
  const DATA_DIR = join(cwd, 'data');
  const [doctor, dsn, link] = await Promise.all(
    [['doctor'], ['dsn'], ['link']].map((args) => culprit(args, elsewhere, { DATA_DIR }).ended),
  );
  t.match(doctor?.stdout, new RegExp(`ok +core port +Culprit is already running at ${core}`));
  t.match(doctor?.stdout, /ok +repository +.*shop at [0-9a-f]{12}/, 'the settings of the running host');
  t.match(dsn, {
    stdout: `DSN          ${(edge ?? '').replace('//', `//${secrets.sdkKey}@`)}/1`,
    stderr: '',
  });
  t.match(link?.stdout, `${core}/#sign-in=`);

  await listen.line(({ run }) => run?.state === 'published');
  listen.child.kill('SIGTERM');
  const { code: listened, stderr: said } = await listen.ended;
  t.equal(listened, 0);
  t.match(
    said,
    /^culprit: connection lost; .*\n(.*retry.*\n)*culprit: connected again; nothing is missing\n$/,
  );

  process.kill(edgeLine.pid, 'SIGKILL');
  const edgeAgain = await up.line(({ msg, name }) => name === 'edge' && msg === 'the edge is listening');
  t.equal(edgeAgain.port, edgeLine.port);
  up.child.kill('SIGTERM');
  const { code, stdout, stderr } = await up.ended;
  t.equal(code, 0);
  t.match(
    stderr,
    /Sign in +with "reviewerToken" from that file, or with a link that "culprit link --data \S+" prints/,
  );
  const { sdkKey, ...hidden } = secrets;
  t.notOk(stdout.includes(sdkKey), 'the log has no DSN');
  for (const secret of Object.values(hidden))
    t.notOk(`${stdout}${stderr}`.includes(String(secret)), 'no secret without a terminal');
  t.notMatch(readdirSync(join(cwd, 'data')).join(), /running/, 'commands no longer find the servers');

  const again = culprit(args, cwd);
  await again.line(({ msg }) => msg === 'culprit is up');
  again.child.kill('SIGINT');
  const second = await again.ended;
  t.equal(second.code, 0);
  t.match(
    second.stderr,
    new RegExp(`Culprit is up\\.[^]*Board +http:[^]*SDK DSN +http://${secrets.sdkKey}@127.0.0.1:\\d+/1`),
    'addresses without a terminal, too',
  );
  t.notMatch(second.stderr, /#sign-in=/, 'a link only on a terminal: others read logs');
});

t.test('a port that is in use, and a supervisor that dies', async (t) => {
  const cwd = t.testdir();
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
  });
  const refused = await culprit(['up', '--core-port', String(port), '--edge-port', '0'], cwd).ended;
  t.equal(refused.code, 1);
  t.notOk(readdirSync(cwd).includes('.culprit'), 'no secrets that nobody has seen');
  t.match(refused.stderr, new RegExp(`127.0.0.1:${port} is in use by another program.*--core-port`));
  t.notMatch(refused.stderr, /\n +at /, 'no stack trace');
  taken.close();

  writeFileSync(join(cwd, '.env'), '', { mode: 0o644 });
  chmodSync(join(cwd, '.env'), 0o644);
  const culpritJson = (text: string) => writeFileSync(join(cwd, 'culprit.json'), text);
  culpritJson('{"envFile": ".env", "projects": {"shop": {}}}');
  const ports = ['up', '--core-port', '0', '--edge-port', '0'];
  const unreadable = await culprit([...ports, '--repository', cwd], cwd).ended;
  t.equal(unreadable.code, 1, 'a repository that cannot be read');
  t.match(
    unreadable.stderr,
    /Nothing was started\..*\nenv file: Other users can read .*chmod 600 .*\nrepository: There is no git/,
  );
  t.equal(unreadable.stdout, '', 'no server has started');

  chmodSync(join(cwd, '.env'), 0o600);
  mkdirSync(join(cwd, 'data'));
  chmodSync(join(cwd, 'data'), 0o755);
  const { directory } = crashingRepository(join(cwd, 'shop'));
  spawnSync('git', ['clone', '-q', '--depth', '1', `file://${directory}`, join(cwd, 'shallow')]);
  const started = [...ports, '--data', 'data', '--repository', 'shallow'];
  const up = culprit(started, cwd, { SDK_KEYS: 'shpo:public' });
  await up.line(({ msg }) => /shallow.* Run: git -C .* fetch --unshallow/.test(msg));
  await up.line(({ msg }) =>
    /SDK_KEYS names the project shpo without settings, .* Did you mean shop\?$/.test(msg),
  );
  await up.line(({ msg }) => /^Other users can read .*data\. Run: chmod 700 /.test(msg));
  await up.line(({ msg }) => msg === 'culprit is up');
  up.child.kill('SIGKILL');
  await up.line(({ msg }) => msg === 'core is stopping');
  await up.line(({ msg }) => msg === 'the edge is stopping');
  await up.ended;
  t.pass('no orphan keeps the pipes open');
});

t.test(
  'a server that does not start is reported with its last words, and nothing waits for it',
  async (t) => {
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const started = (script: string, startMs?: number) => {
      const command = ['-e', script];
      const service = supervise({
        name: 'core',
        command,
        logger,
        ...(startMs === undefined ? {} : { startMs }),
      });
      t.teardown(() => service.stop());
      return service.ready;
    };
    const says = "process.stderr.write('no such module\\n')";
    await t.rejects(started(`${says}; process.exitCode = 3`), {
      message: 'core exited with code 3 before it listened. The end of its log:\nno such module',
    });
    await t.rejects(started(`${says}; process.kill(process.pid, 'SIGSEGV')`), {
      message: /^core was ended by SIGSEGV before it listened\. The end of its log:\nno such module/,
    });
    await t.rejects(started(`${says}; setInterval(() => {}, 1000)`, 300), {
      message: /^core did not listen within 0\.3 s\./,
    });
    // As the demo starts it: with a channel, which must not keep it alive.
    const child = spawn(process.execPath, [BIN, 'up', '--edge-port', '0', '--core-port', '0'], {
      cwd: t.testdir(),
      env: { PATH: process.env.PATH, CONNECTORS: 'no-such-connector' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    let said = '';
    child.stderr?.on('data', (text) => (said += text));
    t.equal(await new Promise((resolve) => child.once('close', resolve)), 1, 'up ends');
    t.match(said, /culprit: core exited with code 1 before it listened\. The end of its log:/);
    t.equal(said.split('no-such-connector is not installed').length, 2, 'once');
  },
);

t.test(
  'port 0: if another program takes the chosen port first, the server starts on another one',
  async (t) => {
    const host = '127.0.0.1';
    const rivals: Server[] = [];
    const bindFirst = (port: number) =>
      new Promise<Server>((resolve) => {
        const rival = createServer().listen({ port, host, exclusive: true }, () => resolve(rival));
        rivals.push(rival);
      });
    t.teardown(() => {
      for (const rival of rivals) rival.close();
    });
    const ports: number[] = [];
    const start = (port: number) => {
      ports.push(port);
      const ready = { type: 'ready', port, url: '', servedBy: '' } as const;
      if (ports.length === 3) return { ready: Promise.resolve(ready) };
      return { ready: bindFirst(port).then(() => Promise.reject(new Error('The port is in use.'))) };
    };
    t.match(await (await onOwnPort({ port: 0, host }, start)).ready, { port: ports[2] });
    t.equal(new Set(ports).size, 3);
    let starts = 0;
    const failing = () => {
      starts += 1;
      return { ready: Promise.reject(new Error('The disk is full.')) };
    };
    await t.rejects(onOwnPort({ port: 0, host }, failing), { message: 'The disk is full.' });
    await t.rejects(onOwnPort({ port: ports[0] ?? 0, host }, failing), { message: 'The disk is full.' });
    t.equal(starts, 2, 'other failures are final, and so is a port that the operator chose');
  },
);

t.test('hints name the command as a person can type it', (t) => {
  const folder = realpathSync(t.testdir({ node_modules: { '.bin': {} } }));
  const bin = join(folder, 'node_modules', '.bin', 'culprit');
  symlinkSync(BIN, bin);
  const started = (script: string) =>
    spawnSync(process.execPath, [script, 'hepl'], { encoding: 'utf8' }).stderr;
  t.match(started(bin), 'Run `npx culprit help`.', 'installed in a folder');
  t.equal(commandName('/usr/local/bin/culprit', {}), 'culprit', 'installed for all');
  t.equal(commandName(BIN, { npm_lifecycle_event: 'start' }), 'npx culprit', 'in a clone');
  t.end();
});

t.test('a log that can no longer be written, as on a closed terminal, does not end a server', (t) => {
  const url = new URL('../dist/log/create-logger.js', import.meta.url).href;
  const program = `import { createLogger } from ${JSON.stringify(url)};
    createLogger({ level: 'info', name: 'edge', pretty: true }).info({}, 'edge is stopping');
    process.stderr.write('still here');`;
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  t.match({ status, said: String(stderr) }, { status: 0, said: 'still here' });
  t.end();
});

t.test('a configuration file has its data beside it, wherever it is read from', (t) => {
  const file = JSON.stringify({ repository: 'code', envFile: '.env', dataDirectory: 'data' });
  const folder = t.testdir({
    shop: { 'culprit.json': '{}', 'other.json': file, '.env': 'STORAGE_URL=file:store' },
    home: {},
  });
  const [shop, home] = [join(folder, 'shop'), join(folder, 'home')];
  const given = { flags: { config: join(shop, 'culprit.json') }, env: {}, cwd: home };
  const dataOf = (sources: LoadOptions) => {
    const { dataDirectory, warnings } = loadConfig({ ...sources, readOnly: true }).config;
    return [dataDirectory, ...warnings];
  };
  const env = { CULPRIT_CONFIG: '../shop/culprit.json' };
  const inHome = join(home, '.culprit');
  mkdirSync(inHome);
  const moved = new RegExp(
    `^The data directory is ${inHome}, because .*move the directory there, or set dataDirectory in culprit`,
  );
  t.match(dataOf(given), [inHome, moved], 'data of an older version is not lost');
  writeFileSync(join(home, 'culprit.json'), '{}');
  t.same(dataOf(given), [join(shop, '.culprit')], 'data of another installation are not taken');
  rmSync(join(home, 'culprit.json'));
  t.same(dataOf({ ...given, env: { DATA_DIR: 'here' } }), [join(home, 'here')]);
  loadConfig({ env: {}, cwd: shop });
  const beside = join(shop, '.culprit');
  t.match(readdirSync(beside).join(), /secrets\.json/);
  for (const sources of [given, { env, cwd: home }, { env: {}, cwd: shop }])
    t.same(dataOf(sources), [beside]);
  t.same(dataOf({ env: {}, cwd: home }), [inHome], 'without a file');
  const { config } = loadConfig({ ...given, flags: { config: join(shop, 'other.json') }, readOnly: true });
  t.match(config, {
    dataDirectory: join(shop, 'data'),
    storageUrl: `file:${join(shop, 'store')}`,
    repository: join(shop, 'code'),
  });
  t.end();
});

t.test('a secret of the user goes to no address that only a folder names', async (t) => {
  const folder = t.testdir({ mine: { '.env': 'REVIEWER_TOKENS=me:token-of-mine-000000\n' }, cloned: {} });
  const cwd = join(folder, 'cloned');
  const back = { cwd: process.cwd(), token: process.env.CULPRIT_TOKEN };
  t.teardown(() => {
    process.chdir(back.cwd);
    if (back.token === undefined) delete process.env.CULPRIT_TOKEN;
    else process.env.CULPRIT_TOKEN = back.token;
  });
  const isFor = (settings: object, given: object = {}, token = 'token-of-the-user-000000') => {
    writeFileSync(join(cwd, 'culprit.json'), JSON.stringify({ allowPlaintext: true, ...settings }));
    process.chdir(cwd);
    process.env.CULPRIT_TOKEN = token;
    return readClientConfig({ config: null, data: null, edgeUrl: null, token: null, url: null, ...given });
  };
  const withheld = {
    code: 'configuration',
    message: /was not sent to http.*evil.*culprit\.json: (coreUrl|host)/,
  };
  const evil = { coreUrl: 'https://evil.example' };
  const services = { serviceTokens: ['shop:ci:token-of-the-service-00'] };
  for (const settings of [evil, { host: 'evil.example' }]) t.throws(() => isFor(settings).token, withheld);
  t.throws(() => isFor(evil, { token: 'by-flag-000000000000' }).token, withheld);
  writeFileSync(join(cwd, '.env'), 'CORE_URL=https://evil.example\n');
  t.throws(() => isFor({ envFile: '.env' }).token, { message: /comes only from \.env: CORE_URL/ });
  writeFileSync(join(folder, 'theirs.env'), 'CORE_URL=https://evil.example\n');
  t.throws(
    () => isFor({ envFile: '../theirs.env' }).token,
    { message: /comes only from theirs\.env: CORE_URL/ },
    'a folder may be a part of a cloned repository',
  );
  symlinkSync('../mine/.env', join(cwd, 'link'));
  for (const envFile of ['../mine/.env', 'link'])
    t.throws(
      () => isFor({ ...evil, envFile }, {}, '').token,
      withheld,
      'nor one that the folder only points at',
    );
  mkdirSync(join(folder, 'data'));
  const generated = { serviceToken: 'generated-service-token', reviewerToken: 'generated-reviewer-token' };
  writeFileSync(join(folder, 'data', 'secrets.json'), JSON.stringify(generated));
  const data = { dataDirectory: '../data', host: 'evil.example' };
  t.throws(() => isFor(data, {}, '').token, withheld, 'nor a generated one');
  t.throws(() => isFor(data, {}, '').doorSecrets(null).serviceToken, withheld);

  const mine = join(folder, 'mine');
  writeFileSync(join(mine, 'culprit.json'), JSON.stringify(services));
  mkdirSync(join(cwd, '.culprit'));
  const note = join(cwd, '.culprit', 'running-core.json');
  const settings = { cwd: mine, file: join(mine, 'culprit.json'), env: { HOST: 'evil.example' } };
  const running = { pid: process.pid, url: 'http://127.0.0.1:1', started: '', settings };
  writeFileSync(note, JSON.stringify(running), { mode: 0o600 });
  t.equal(isFor({}, {}, '').edge.url, 'http://evil.example:8001', 'the settings of what seems to run there');
  t.throws(() => isFor({}, {}, '').doorSecrets(null).serviceToken, {
    message: /from culprit\.json: serviceTokens was not sent/,
  });
  rmSync(note);
  rmSync(join(cwd, 'culprit.json'));
  symlinkSync('../mine/culprit.json', join(cwd, 'culprit.json'));
  const here = { cwd, file: null, env: { CORE_URL: 'https://evil.example' } };
  const edge = join(cwd, '.culprit', 'running-edge.json');
  writeFileSync(edge, JSON.stringify({ ...running, settings: here }), { mode: 0o600 });
  const inMine = { reviewerTokens: ['me:token-of-mine-000000'] };
  t.throws(() => isFor(inMine, {}, '').token, { message: /CORE_URL of the running host/ }, 'a linked file');
  rmSync(edge);
  rmSync(join(cwd, 'culprit.json'));
  t.match(
    isFor({ ...evil, ...services }).doorSecrets(null).serviceToken,
    /service/,
    'the edge is on this machine',
  );
  t.match(isFor({ host: '127.0.0.1', corePort: 1 }).token, /user/, 'loopback');
  t.match(isFor(evil, { url: 'https://core.example' }).token, /user/, 'the user names the address');
  t.match(isFor(evil, { config: 'culprit.json' }).token, /user/, 'or the file');
  const own = { ...evil, reviewerTokens: ['ada:token-of-the-folder-00'] };
  t.match(isFor(own, {}, '').token, /folder/, 'address and token of one folder');
  t.throws(() => isFor(own).token, withheld);
  const shown = await culprit(['runs'], cwd, { CULPRIT_TOKEN: 'token-of-the-user-000000' }).ended;
  t.match(shown, {
    code: 1,
    stderr: /^culprit: The token from CULPRIT_TOKEN was not sent .*--url or CULPRIT_URL/,
  });
});
