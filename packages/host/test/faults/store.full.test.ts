import { spawnSync } from 'node:child_process';
import t from 'tap';
import { faultRun } from '../support/fault-run.js';

const NEEDED = ['redis-server', 'redis-cli'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
const skip = NEEDED.length > 0 ? `needs ${NEEDED.join(' and ')}` : false;

// A minute on two idle cores, mostly waiting.
t.setTimeout(1_300_000);

t.test('a fleet with killed cores and a failing Redis', { skip }, async (t) => {
  const verdict = await faultRun(t, 'store', ['--seconds', '8', '--away', '3']);
  t.match(verdict, { lost: 0, invented: 0, doubled: 0, stuck: 0, second_issues: 0, readers_gaps: 0 });
  t.comment(`${verdict.kills} kills, ${verdict.acknowledged} acknowledged, ${verdict.seconds} s`);
});
