import { execFileSync, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { randomBetween } from '../../../bench/faults/lib/random.mjs';
import { isUpMessage, type UpMessage } from '../src/cli/ready-message.js';
import { crashingRepository } from './support/crashing-repository.js';
import { culprit } from './support/run-culprit.js';

const BIN = fileURLToPath(new URL('../dist/bin/culprit.js', import.meta.url));
t.setTimeout(300_000);
/** Each has a published run, one at Gate 2, and some at Gate 1. `make-store.mjs` wrote the second, whose crashes name `.env`. */
const STORES = [
  {
    version: '0.1.0',
    staged: 2,
    shown: /NoMethodError[\s\S]*at /,
    created: /created by culprit 0\.1\.0/,
    kept: /evidence:run_/,
  },
  {
    version: '419c6165',
    staged: 1,
    shown: /StagedError[\s\S]*at /,
    created: /created by culprit 0\.1\.0, ranking 6/,
    kept: /sum \* items\[0\]\.tax\.rate/,
  },
];

function unpack(version: string, place: string): void {
  const file = fileURLToPath(new URL(`../test/fixtures/upgrade/data-${version}.tgz`, import.meta.url));
  execFileSync('tar', ['-xzf', file, '-C', place]);
}

for (const { version, staged: count, shown: text, created, kept } of STORES)
  t.test(`the data directory of ${version} opens, and its runs go on`, async (t) => {
    const place = t.testdir();
    const { directory } = crashingRepository(join(place, 'shop'));
    unpack(version, place);
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
    t.equal(staged.length, count);
    t.match(await culprit(['runs', 'show', staged[0] ?? ''], client), {
      code: 0,
      stdout: text,
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
      [{ name: 'evidence', detail: created }],
      'everything but the derivation by another version',
    );
    const now = new Date(Date.now() + 60_000).toISOString();
    t.match(await culprit(['audit', 'verify', '--sealed-since', now], client), { code: 0 });
    up.kill('SIGTERM');
    t.equal(await ended, 0);
    await culprit(['store', 'export', join(place, 'export.jsonl')], { env });
    const exported = readFileSync(join(place, 'export.jsonl'), 'utf8');
    t.notMatch(
      exported,
      /DATABASE_PASSWORD=hunter2/,
      'evidence of an older version leaves without denied files',
    );
    t.match(exported, kept, 'the rest of it stays');
    const copy = { env: { ...env, DATA_DIR: join(place, 'copy') } };
    t.match(await culprit(['store', 'import', join(place, 'export.jsonl')], copy), { code: 0 });
    t.same(
      (await culprit(['store', 'info', '--json'], copy)).stdout,
      (await culprit(['store', 'info', '--json'], { env })).stdout,
    );
  });

for (const { version, staged } of STORES)
  t.test(
    `the data directory of ${version} is whole after kills in the middle of its first starts`,
    async (t) => {
      const place = t.testdir();
      unpack(version, place);
      const env = { CORE_PORT: '0', DATA_DIR: join(place, 'data') };
      for (let round = 0; round < 6; round++) {
        const core = fork(BIN, ['core'], {
          cwd: place,
          env: { PATH: process.env.PATH, ...env },
          silent: true,
        });
        const ended = new Promise((resolve) => core.once('exit', resolve));
        const ready = new Promise((resolve) => core.once('message', resolve));
        // Kills before, while and after the storage is migrated; a start takes about a second.
        const at = new Promise((resolve) => setTimeout(resolve, randomBetween(100, 1_500)));
        // The last start is whole: on a slow machine the others may all end before core has made its audit key.
        await Promise.race(round < 5 ? [at, ready, ended] : [ready, ended]);
        core.kill('SIGKILL');
        await ended;
      }
      const info = JSON.parse((await culprit(['store', 'info', '--json'], { env })).stdout);
      t.match(info, {
        schema: '2',
        runs: 2 + staged,
        states: { published: 1, staged_draft: 1, staged_raw: staged },
        loss: null,
      });
      const now = new Date(Date.now() + 60_000).toISOString();
      t.match(await culprit(['audit', 'verify', '--sealed-since', now], { env }), { code: 0 });
    },
  );
