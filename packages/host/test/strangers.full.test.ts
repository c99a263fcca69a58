import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { temporaryFolder } from '../../../bench/faults/lib/folders.mjs';
import { reservePort } from '../../../bench/faults/lib/reserve-port.mjs';
import { checkRepository } from '../src/compose/hosts/local.js';
import { commit, home, PACKAGES, pack, run, type Started, start, until } from './installed/sandbox.js';

/** A machine that has Node, npm and git, and nothing of ours: an empty npm prefix, engines checked. */
function stranger(t: Test) {
  const place = temporaryFolder(t, 'stranger');
  mkdirSync(join(place, 'prefix'));
  const env = {
    npm_config_prefix: join(place, 'prefix'),
    npm_config_engine_strict: 'true',
    npm_config_fund: 'false',
  };
  const shop = join(place, 'shop');
  mkdirSync(join(shop, 'src'), { recursive: true });
  writeFileSync(join(shop, 'src/cart.js'), 'const cart = null;\nconsole.log(cart.total);\n');
  commit(shop, 'Open the shop');
  return { place, env, shop };
}

const FREE = '--edge-port 0 --core-port 0';

/** The duration is printed: other work on the machine must not fail a test. */
async function timed<T>(t: Test, name: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  t.comment(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

t.test('from tarballs to a run of one’s own repository: two commands', async (t) => {
  const { place, env, shop } = stranger(t);
  const tarballs = await Promise.all(PACKAGES.map((name) => pack(join(home, 'packages', name), place)));
  const folder = join(place, 'app');
  mkdirSync(folder);
  const sh = (line: string) => run(folder, 'sh', ['-c', line], env);
  const demo = await timed(t, 'from tarballs', async () => {
    const installed = await sh(`npm install --prefer-offline --no-audit ${tarballs.join(' ')}`);
    t.equal(installed.status, 0, installed.stderr);
    return sh(`npx --no culprit demo --repo ${shop} --crash src/cart.js:2 --auto --json ${FREE}`);
  });
  t.equal(demo.status, 0, demo.stdout + demo.stderr);
  const last = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
  const { issue_file, states } = last(demo.stdout);
  t.equal(states.at(-1), 'published');
  t.match(readFileSync(issue_file, 'utf8'), /Open the shop/, 'its suspect is a commit of that repository');
  t.match(demo.stderr, /the demo’s files are in .*culprit-demo-/);

  const help = await sh('npx --no culprit demo --help');
  t.notMatch(help.stdout, /github-double/, 'only a clone has it');
  const refused = await sh('npx --no culprit demo --github-double');
  t.match(refused, { status: 2, stderr: /--github-double is not a flag of culprit demo/ });
  const shown = await sh(`npx --no culprit demo --auto --json ${FREE}`);
  t.equal(shown.status, 0, shown.stdout + shown.stderr);
  t.match(shown.stdout, /@sentry\/node is not installed here/);
  t.equal(last(shown.stdout).states.at(-1), 'published', 'the sample works without the SDK');
});

/** The commands of the README's block with this title. */
function readme(title: string): readonly string[] {
  const text = readFileSync(join(home, 'README.md'), 'utf8');
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(text.slice(text.indexOf(title))) ?? [];
  return block.trim().split('\n');
}

async function serving(server: Started, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } finally {
    await server.stop();
  }
}

t.test('from a clone to a run of one’s own repository: the three commands of the README', async (t) => {
  const { place, env: npm, shop } = stranger(t);
  const clone = join(place, 'culprit');
  const cloned = await run(place, 'git', ['clone', '--quiet', home, clone]);
  t.equal(cloned.status, 0, cloned.stderr);
  const commands = readme('Run it for your own repository:').map((line) =>
    line.replaceAll('PATH', shop).replaceAll('FILE:LINE', 'src/cart.js:2'),
  );
  const [install = '', up = '', trigger = ''] = commands;
  t.equal(commands.length, 3);
  const [edge, core] = await Promise.all([reservePort(), reservePort()]);
  const env = {
    ...npm,
    // npx must find the command in the clone, and not offer a package of that name.
    npm_config_yes: 'false',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    EDGE_PORT: String(edge),
    CORE_PORT: String(core),
  };
  const sh = (line: string) => run(clone, 'sh', ['-c', line], env);
  const url = `http://127.0.0.1:${core}`;

  const server = await timed(t, 'from a clone: install, build and start', async () => {
    const installed = await sh(install);
    t.equal(installed.status, 0, installed.stderr);
    t.notOk(existsSync(join(clone, 'packages/host/dist')), 'nothing is built yet');
    return start(clone, 'sh', ['-c', `exec ${up}`], env, /Culprit is up\.[\s\S]*SDK DSN +http:[^\n]*\n/);
  });
  await serving(server, async () => {
    const [banner] = server.line;
    const { reviewerToken } = JSON.parse(readFileSync(join(clone, '.culprit/secrets.json'), 'utf8'));
    t.match(banner, new RegExp(`Board +${url}\n`));
    t.ok(banner.includes(join(clone, '.culprit/secrets.json')), 'the file that contains the secrets');
    const ask = async (method: string, path: string) => {
      const headers = { authorization: `Bearer ${reviewerToken}` };
      return JSON.parse(await (await fetch(`${url}/api/v1/runs${path}`, { method, headers })).text());
    };
    const sent = await sh(trigger);
    t.match(sent, { status: 0, stdout: /^native {2}202 / }, sent.stderr);
    let runs: readonly { readonly run_id: string }[] = [];
    while (runs.length === 0) ({ runs } = await ask('GET', ''));
    const id = runs[0]?.run_id ?? '';
    t.match(runs, [{ state: 'staged_raw', title: /src\/cart\.js:2/ }], 'on the board');
    t.match(await ask('POST', `/${id}/gate1/approve`), { status: 'analyzed' });
    t.match((await ask('GET', `/${id}`)).draft.body, /Open the shop/, 'its suspect is a commit of it');
  });
  t.equal(await server.ended, 0, 'npm start ends on SIGTERM');
  await t.rejects(fetch(url), 'and no server remains');

  // Without `exec`, a shell such as dash answers Ctrl-C with its own exit code, whatever npm's is.
  const terminal = ['-qec', `exec ${up}`, '/dev/null'];
  const shown = await start(clone, 'script', terminal, env, /Culprit is up\.[\s\S]*SDK DSN +http:[^\n]*\n/);
  await serving(shown, async () => {
    t.match(shown.output(), /Sign in +http:\S+\/#sign-in=[\w-]{43} /, 'a link that signs in once');
    const before = shown.output().length;
    shown.type('\u0003');
    t.equal(await shown.ended, 0, 'Ctrl-C in a terminal, which npm passes on once more');
    t.notMatch(shown.output().slice(before), /npm error|restarted|\n +at /, 'is quiet');
    await t.rejects(fetch(url), 'and no server remains');
  });
});

/** `npx culprit up`. `ended`: no process that it started is left. */
async function throughNpx(t: Test, data: string, shop: string) {
  const args = ['--no', 'culprit', 'up', '--data', data, '--repository', shop, ...FREE.split(' ')];
  const npx = spawn('npx', args, { cwd: home, stdio: ['ignore', 'pipe', 'ignore'] });
  let isOver = false;
  const ended = once(npx, 'close').then(() => {
    isOver = true;
  });
  const up = await new Promise<{ pid: number; edge: string; core: string }>((resolve, reject) => {
    void ended.then(() => reject(new Error('npx ended')));
    createInterface(npx.stdout).on('line', (line) => {
      if (line.includes('"culprit is up"')) resolve(JSON.parse(line));
    });
  });
  // Its servers end with it; npx may be gone already.
  t.teardown(() => isOver || process.kill(up.pid, 'SIGTERM'));
  return { ...up, npx, ended };
}

for (const [who, signal] of [
  ['npx', 'SIGTERM'],
  ['npx', 'SIGHUP'],
  ['npx', 'SIGKILL'],
  ['the supervisor', 'SIGKILL'],
] as const)
  t.test(`${signal} of ${who} ends every server, and nothing accepted is lost`, async (t) => {
    const { place, shop } = stranger(t);
    const data = join(place, 'data');
    const up = await throughNpx(t, data, shop);
    const { serviceToken, reviewerToken } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
    const send = () =>
      fetch(`${up.edge}/api/v1/telemetry/ingest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-token': serviceToken },
        body: JSON.stringify({ event_id: randomUUID(), type: 'Error', message: 'gone' }),
      }).then(
        ({ status }) => status,
        () => 0,
      );
    let accepted = 0;
    for (let status = await send(); status !== 0; status = await send()) {
      if (status === 202) accepted += 1;
      if (status === 202 && accepted === 10) {
        if (who === 'npx') up.npx.kill(signal);
        else process.kill(up.pid, signal);
      }
    }
    await up.ended;
    await t.rejects(fetch(up.core), 'core is gone, too');

    const again = await throughNpx(t, data, shop);
    const headers = { authorization: `Bearer ${reviewerToken}` };
    await until(async () => {
      const answer = await fetch(`${again.core}/api/v1/runs`, { headers });
      const { runs } = (await answer.json()) as { runs: { occurrences: number }[] };
      return runs.reduce((sum, { occurrences }) => sum + occurrences, 0) >= accepted;
    });
    again.npx.kill('SIGTERM');
    await again.ended;
    t.comment(`${accepted} crashes`);
  });

t.test('git that is missing or too old is reported before any crash', async (t) => {
  const old = t.testdir({ git: '#!/bin/sh\necho git version 1.8.3.1\n' });
  chmodSync(join(old, 'git'), 0o755);
  const { shop } = stranger(t);
  const check = (searchPath: string) =>
    checkRepository({ project: 'default', address: shop }, { searchPath });
  t.match(await check(old), [
    {
      ok: false,
      detail: /^git 2\.31 or newer is required; found git version 1\.8\.3\.1\. Install a newer git\.$/,
    },
  ]);
  t.match(await check(join(old, 'none')), [{ ok: false, detail: /"git" was not found in .*Install git/ }]);
});
