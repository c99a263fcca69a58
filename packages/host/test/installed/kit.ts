import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContractCase } from '@culprit/core/testing';
import type { Test } from 'tap';
import { reservePort } from '../../../../bench/faults/lib/reserve-port.mjs';
import { tsc } from './packages.js';
import { install, run, type Sandbox, start, until } from './sandbox.js';

const PORTS = ['tracker', 'publisher', 'code-host', 'explainer', 'notifier', 'store'] as const;

const culprit = (sandbox: Sandbox) =>
  join(sandbox.directory, 'node_modules/@culprit/host/dist/bin/culprit.js');

const folderOf = (sandbox: Sandbox, port: string) => join(sandbox.directory, `culprit-connector-my-${port}`);

/** Unchanged output of `culprit connector new` for every port: its suites with node:test, vitest and tap, and its types. */
export async function checkKit(t: Test, sandbox: Sandbox): Promise<void> {
  const { directory } = sandbox;
  const make = (name: string, port: string, ...more: string[]) =>
    run(directory, process.execPath, [culprit(sandbox), 'connector', 'new', name, '--port', port, ...more]);
  const tested = PORTS.map(async (port) => {
    const made = await make(`my-${port}`, port);
    if (made.status !== 0) return made;
    return run(folderOf(sandbox, port), 'npm', ['test']);
  });
  // Far from any installation: npm finds Culprit by what the new package says, and on no registry.
  const far = sandbox.newFolder('connector');
  const made = await make('far', 'code-host', '--in', far);
  t.match(made, { status: 0, stdout: /npm install && npm test/ }, made.stderr);
  const own = join(far, 'culprit-connector-far');
  await install(own, []);
  t.match(await run(own, 'npm', ['test']), { status: 0, stdout: /(?:#|ℹ) pass [1-9]/ });
  for (const [at, port] of PORTS.entries()) {
    const { status, stdout, stderr } = (await tested[at]) ?? {};
    t.equal(status, 0, `${port} under node:test: ${status === 0 ? '' : `${stdout}${stderr}`}`);
    t.match(stdout, /(?:#|ℹ) pass [1-9]/, 'contract cases were run');
  }
  for (const port of PORTS) {
    const test = readFileSync(join(folderOf(sandbox, port), 'contract.test.js'), 'utf8');
    writeFileSync(join(folderOf(sandbox, port), 'vitest.spec.js'), test.replace('node:test', 'vitest'));
  }
  const files = PORTS.flatMap((port) =>
    ['index.js', 'subject.js'].map((file) => join(folderOf(sandbox, port), file)),
  );
  const strict = ['--checkJs', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const [vitest, types, again, outside] = await Promise.all([
    run(
      directory,
      process.execPath,
      [join(directory, 'node_modules/vitest/vitest.mjs'), 'run', 'vitest.spec'],
      {
        NO_COLOR: '1',
      },
    ),
    run(directory, process.execPath, [tsc(directory), ...strict, '--types', 'node', ...files]),
    make('my-tracker', 'tracker'),
    make('../x', 'tracker'),
  ]);
  t.equal(vitest.status, 0, `under vitest: ${vitest.status === 0 ? '' : vitest.stdout + vitest.stderr}`);
  t.match(vitest.stdout, new RegExp(`Test Files +${PORTS.length} passed`), 'all ports');
  t.equal(types.status, 0, `type-safe: ${types.stdout}`);
  t.equal(again.status, 6, 'nothing is overwritten');
  t.equal(outside.status, 2, 'a name must not be a path');
  for (const port of PORTS) {
    const subject = await import(pathToFileURL(join(folderOf(sandbox, port), 'subject.js')).href);
    const suite: readonly ContractCase<unknown>[] = subject.suite;
    for (const law of suite) await t.test(`${port} under tap: ${law.name}`, () => law.run(subject.make));
  }
}

/** Connectors of the kit in the reference host, named by their package in `culprit.json`. */
export async function checkOwnConnectors(t: Test, sandbox: Sandbox): Promise<void> {
  const { directory } = sandbox;
  const folder = join(directory, 'own-host');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of ['my-tracker', 'my-publisher', 'my-store']) {
    const link = `culprit-connector-${name}`;
    symlinkSync(join(directory, link), join(folder, 'node_modules', link));
  }
  const connectors = [
    { package: 'culprit-connector-my-tracker', config: { token: '$MY_TOKEN' } },
    { package: 'culprit-connector-my-publisher', config: { url: 'https://issues.example.com' } },
    { package: 'culprit-connector-my-store', config: { path: join(folder, 'own-store.jsonl') } },
  ];
  const file = { connectors, projects: { default: { publishRepository: 'team/shop' } } };
  writeFileSync(join(folder, 'culprit.json'), JSON.stringify(file));
  const ownStore = join(folder, 'own-store.jsonl');
  // Of a process that was killed: no process has this number.
  writeFileSync(`${ownStore}.lock`, '2147483646');
  const [edgePort, corePort] = [await reservePort(), await reservePort()];
  const env = {
    MY_TOKEN: 'the-token',
    REVIEWER_TOKENS: 'ada:reviewer-token-0123456789',
    EDGE_PORT: String(edgePort),
    CORE_PORT: String(corePort),
  };
  const missing = await run(folder, process.execPath, [culprit(sandbox), 'up'], { ...env, MY_TOKEN: '' });
  t.not(missing.status, 0);
  t.match(missing.stderr, '$MY_TOKEN');
  const up = await start(
    folder,
    process.execPath,
    [culprit(sandbox), 'up'],
    env,
    /ready|board|http:\/\/127/i,
  );
  try {
    const edge = `http://127.0.0.1:${edgePort}`;
    const core = `http://127.0.0.1:${corePort}`;
    const hook = (token: string) =>
      fetch(`${edge}/webhook/my-tracker`, {
        method: 'POST',
        headers: { 'x-my-tracker-token': token },
        body: JSON.stringify({ message: 'the till is stuck' }),
      });
    await until(async () => (await fetch(`${edge}/readyz`)).ok && (await fetch(`${core}/readyz`)).ok);
    const { openStore } = await import(pathToFileURL(join(folderOf(sandbox, 'store'), 'index.js')).href);
    await t.rejects(openStore(ownStore), { code: 'storage_unavailable' }, 'core uses it');
    t.equal((await hook('guessed')).status, 401);
    t.equal((await hook('the-token')).status, 202);
    const headers = { authorization: 'Bearer reviewer-token-0123456789' };
    const runs = async () => JSON.parse(await (await fetch(`${core}/api/v1/runs`, { headers })).text()).runs;
    await until(async () => (await runs()).length === 1);
    const [{ run_id }] = await runs();
    const gate = async (name: string) => {
      const url = `${core}/api/v1/runs/${run_id}/${name}/approve`;
      return (await fetch(url, { method: 'POST', headers })).json();
    };
    t.match(await gate('gate1'), { status: 'analyzed' });
    t.match(await gate('gate2'), { status: 'published', issue_url: 'https://issues.example.com/1' });
  } finally {
    await up.stop();
  }
}
