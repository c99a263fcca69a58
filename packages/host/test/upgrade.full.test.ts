import { execFileSync, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { randomBetween } from '../../../faults/lib/random.mjs';
import { isUpMessage, type UpMessage } from '../src/cli/ready-message.js';
import { crashingRepository } from './support/crashing-repository.js';
import { culprit } from './support/run-culprit.js';

const BIN = fileURLToPath(new URL('../dist/bin/culprit.js', import.meta.url));
/** Written by 0.1.0: a published run, one at Gate 2, two at Gate 1. */
const OLD = fileURLToPath(new URL('../test/fixtures/upgrade/data-0.1.0.tgz', import.meta.url));

t.test('the data directory of 0.1.0 opens, and its runs go on', async (t) => {
  const place = t.testdir();
  const { directory } = crashingRepository(join(place, 'shop'));
  execFileSync('tar', ['-xzf', OLD, '-C', place]);
  const env = { EDGE_PORT: '0', CORE_PORT: '0', DATA_DIR: join(place, 'data'), REPOSITORY: directory };
  const doctor = await culprit(['doctor'], { env });
  t.match(doctor, { code: 0, stdout: /ok +storage +.*a copy of it opens/ }, doctor.stdout);

  const up = fork(BIN, ['up'], { cwd: place, env: { PATH: process.env.PATH, ...env }, silent: true });
  t.teardown(() => up.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => up.once('exit', resolve));
  const { coreUrl } = await new Promise<UpMessage>((resolve, reject) => {
    up.on('message', (message) => {
      if (isUpMessage(message)) resolve(message);
    });
    up.once('exit', () => reject(new Error('culprit up ended')));
  });
  const client = { env: { ...env, CULPRIT_URL: coreUrl } };
  const list = async (state: string): Promise<readonly string[]> => {
    const { stdout } = await culprit(['runs', 'list', '--state', state, '--json'], client);
    return (JSON.parse(stdout) as { runs: { run_id: string }[] }).runs.map(({ run_id }) => run_id);
  };
  const [published = ''] = await list('published');
  const [draft = ''] = await list('staged_draft');
  const staged = await list('staged_raw');
  t.equal(staged.length, 2);
  t.match(await culprit(['runs', 'show', staged[0] ?? ''], client), {
    code: 0,
    stdout: /NoMethodError[\s\S]*at /,
  });
  t.match(await culprit(['runs', 'approve', staged[0] ?? ''], client), { code: 0, stdout: /staged_draft/ });
  const shown = await culprit(['runs', 'show', draft, '--json'], client);
  const { digest } = (JSON.parse(shown.stdout) as { draft: { digest: string } }).draft;
  t.match(await culprit(['runs', 'approve', draft, '--digest', digest], client), {
    stdout: /^published: http/,
  });
  const proof = JSON.parse((await culprit(['verify', published, '--json'], client)).stdout) as {
    steps: readonly { name: string; ok: boolean; detail: string }[];
  };
  t.match(
    proof.steps.filter(({ ok }) => !ok),
    [{ name: 'evidence', detail: /created by culprit 0\.1\.0/ }],
    'everything but the derivation by another version',
  );
  const now = new Date(Date.now() + 60_000).toISOString();
  t.match(await culprit(['audit', 'verify', '--sealed-since', now], client), { code: 0 });
  up.kill('SIGTERM');
  t.equal(await ended, 0);
});

t.test('the data directory of 0.1.0 is whole after kills in the middle of its first starts', async (t) => {
  const place = t.testdir();
  execFileSync('tar', ['-xzf', OLD, '-C', place]);
  const env = { CORE_PORT: '0', DATA_DIR: join(place, 'data') };
  for (let round = 0; round < 12; round++) {
    const core = fork(BIN, ['core'], { cwd: place, env: { PATH: process.env.PATH, ...env }, silent: true });
    const ended = new Promise((resolve) => core.once('exit', resolve));
    const ready = new Promise((resolve) => core.once('message', resolve));
    // Kills before, while and after the storage is migrated; a start takes about a second.
    const at = new Promise((resolve) => setTimeout(resolve, randomBetween(100, 1_500)));
    await Promise.race([at, ready, ended]);
    core.kill('SIGKILL');
    await ended;
  }
  const info = JSON.parse((await culprit(['store', 'info', '--json'], { env })).stdout);
  t.match(info, {
    schema: '2',
    runs: 4,
    states: { published: 1, staged_draft: 1, staged_raw: 2 },
    loss: null,
  });
  const now = new Date(Date.now() + 60_000).toISOString();
  t.match(await culprit(['audit', 'verify', '--sealed-since', now], { env }), { code: 0 });
});
