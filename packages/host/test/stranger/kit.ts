import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContractCase } from '@culprit/core/testing';
import type { Test } from 'tap';
import { freePort } from '../../src/cli/free-port.js';
import { run, type Shop, start } from './shop.js';

const PORTS = ['tracker', 'publisher', 'code-host', 'explainer', 'notifier'] as const;

const culprit = (shop: Shop) => join(shop.directory, 'node_modules/@culprit/host/dist/bin/culprit.js');

/** `culprit connector new` for every port; the suites under node:test, vitest and tap. */
export async function checkKit(t: Test, shop: Shop): Promise<void> {
  const { directory } = shop;
  for (const port of PORTS) {
    const name = `my-${port}`;
    const made = run(directory, process.execPath, [culprit(shop), 'connector', 'new', name, '--port', port]);
    t.equal(made.status, 0, `${made.stdout}${made.stderr}`);
    const folder = join(directory, `culprit-connector-${name}`);
    const tested = run(folder, 'npm', ['test']);
    t.equal(tested.status, 0, `${port} under node:test: ${tested.stdout}${tested.stderr}`);
    t.match(tested.stdout, /(?:#|ℹ) pass [1-9]/, 'laws were run');

    writeFileSync(
      join(folder, 'vitest.spec.js'),
      readFileSync(join(folder, 'contract.test.js'), 'utf8').replace('node:test', 'vitest'),
    );
    const vitest = run(folder, process.execPath, [
      join(directory, 'node_modules/vitest/vitest.mjs'),
      ...['run', 'vitest.spec.js', '--root', folder],
    ]);
    t.equal(vitest.status, 0, `${port} under vitest: ${vitest.stdout}${vitest.stderr}`);

    const subject = await import(pathToFileURL(join(folder, 'subject.js')).href);
    const suite: readonly ContractCase<unknown>[] = subject.suite;
    for (const law of suite) await t.test(`${port} under tap: ${law.name}`, () => law.run(subject.make));

    const checked = run(folder, process.execPath, [
      join(directory, 'node_modules/typescript/bin/tsc'),
      ...[
        '--checkJs',
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--types',
        'node',
      ],
      ...['index.js', 'subject.js'],
    ]);
    t.equal(checked.status, 0, `${port} is type-safe: ${checked.stdout}`);
  }
  const again = run(directory, process.execPath, [
    culprit(shop),
    'connector',
    'new',
    'my-tracker',
    '--port',
    'tracker',
  ]);
  t.equal(again.status, 6, 'nothing is overwritten');
  const wrong = run(directory, process.execPath, [
    culprit(shop),
    'connector',
    'new',
    '../x',
    '--port',
    'tracker',
  ]);
  t.equal(wrong.status, 2);
}

/** Connectors of the kit in the reference host, named by their package in `culprit.json`. */
export async function checkOwnConnectors(t: Test, shop: Shop): Promise<void> {
  const { directory } = shop;
  const folder = join(directory, 'own-host');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of ['my-tracker', 'my-publisher']) {
    const link = `culprit-connector-${name}`;
    symlinkSync(join(directory, link), join(folder, 'node_modules', link));
  }
  const connectors = [
    { package: 'culprit-connector-my-tracker', config: { token: '$MY_TOKEN' } },
    { package: 'culprit-connector-my-publisher', config: { url: 'https://issues.example.com' } },
  ];
  const file = { connectors, projects: { default: { publishRepository: 'team/shop' } } };
  writeFileSync(join(folder, 'culprit.json'), JSON.stringify(file));
  const [edgePort, corePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const env = {
    MY_TOKEN: 'the-token',
    REVIEWER_TOKENS: 'ada:reviewer-token-0123456789',
    EDGE_PORT: String(edgePort),
    CORE_PORT: String(corePort),
  };
  const missing = run(folder, process.execPath, [culprit(shop), 'up'], { ...env, MY_TOKEN: '' });
  t.not(missing.status, 0);
  t.match(missing.stderr, '$MY_TOKEN');
  const up = await start(folder, process.execPath, [culprit(shop), 'up'], env, /ready|board|http:\/\/127/i);
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

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    if (await holds().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('did not come to hold within 30 s');
}
