import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const NEEDED = ['redis-server', 'redis-cli'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
const skip = NEEDED.length > 0 ? `needs ${NEEDED.join(' and ')}` : false;

// A minute on two idle cores; most of it is waiting, so a busy machine takes longer.
t.setTimeout(600_000);

t.test('a fleet whose cores die and whose Redis fails', { skip }, async (t) => {
  const flags = ['--seconds', '8', '--away', '3', '--json'];
  const child = spawn(process.execPath, ['faults/store.mjs', ...flags], { cwd: ROOT });
  t.teardown(() => child.kill('SIGTERM'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  t.equal(code, 0, 'everything holds', { stdout, stderr });
  const verdict = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
  t.match(verdict, { lost: 0, invented: 0, doubled: 0, stuck: 0, second_issues: 0, readers_gaps: 0 });
  t.comment(`${verdict.kills} kills, ${verdict.acknowledged} acknowledged, ${verdict.seconds} s`);
});
