import t from 'tap';
import { faultRun } from '../support/fault-run.js';

// A minute on two idle cores, mostly waiting for restarts and timeouts.
t.setTimeout(1_300_000);
t.jobs = 2;

const SHORT = 'kills, power failures, core down and a storm: a short `npm run faults -- edge`';
t.test(SHORT, { buffered: true }, async (t) => {
  const flags = ['--only', 'kills,power,away,storm', '--rounds', '6', '--count', '2000'];
  const { kills, power, away, storm } = await faultRun(t, 'edge', flags);
  t.match(kills, { ok: true, lost: 0, invented: 0, doubled: 0 }, `kills ${JSON.stringify(kills)}`);
  t.match(power, { ok: true, lost: 0, invented: 0, doubled: 0 }, `power cuts ${JSON.stringify(power)}`);
  t.ok(power?.lost_by_a_lying_disk > 0, 'a disk without working fdatasync is detected');
  t.match(away, { ok: true, runs: 1, counted: 2_000, out_of_order: 0 }, `away ${JSON.stringify(away)}`);
  t.match(storm, { ok: true, runs: 1, counted: 2_000 }, `storm ${JSON.stringify(storm)}`);
});

t.test('hostile clients: a short run', { buffered: true }, async (t) => {
  const { attacks } = await faultRun(t, 'edge', ['--only', 'attacks', '--count', '500', '--quick']);
  t.ok(attacks?.rows.length > 0, 'attacks were tried');
  for (const { attack, statuses, ok } of attacks?.rows ?? [])
    t.ok(ok, `${attack}: ${JSON.stringify(statuses)}`);
  const peak = attacks?.memory_peak_mb ?? null;
  t.ok(peak === null || peak < 640, `${peak} MB`);
});
