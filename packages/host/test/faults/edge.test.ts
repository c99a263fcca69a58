import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

// A minute on two idle cores, most of it waiting for restarts and for patience to run out.
t.setTimeout(600_000);

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

t.test(
  'kills, power cuts, core away and a storm: a small run of `npm run faults -- edge`',
  { timeout: 300_000 },
  async (t) => {
    const args = [
      'faults/edge.mjs',
      '--only',
      'kills,power,away,storm',
      '--rounds',
      '6',
      '--count',
      '2000',
      '--json',
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    const { kills, power, away, storm } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
    t.match(kills, { ok: true, lost: 0, invented: 0, doubled: 0 }, `kills ${JSON.stringify(kills)}`);
    t.match(power, { ok: true, lost: 0, invented: 0, doubled: 0 }, `power cuts ${JSON.stringify(power)}`);
    t.ok(power.lost_by_a_lying_disk > 0, 'a disk that lies is caught');
    t.match(away, { ok: true, runs: 1, counted: 2_000, out_of_order: 0 }, `away ${JSON.stringify(away)}`);
    t.match(storm, { ok: true, runs: 1, counted: 2_000 }, `storm ${JSON.stringify(storm)}`);
    t.equal(status, 0, stderr);
  },
);

t.test('hostile clients: a small run', { timeout: 300_000 }, async (t) => {
  const args = ['faults/edge.mjs', '--only', 'attacks', '--count', '500', '--quick', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const { attacks } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  for (const { attack, statuses, ok } of attacks.rows) t.ok(ok, `${attack}: ${JSON.stringify(statuses)}`);
  t.ok(attacks.memory_peak_mb === null || attacks.memory_peak_mb < 640, `${attacks.memory_peak_mb} MB`);
  t.equal(status, 0, stderr);
});
