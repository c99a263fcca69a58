import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The short form: the rows that were hardest to get right. `npm run faults -- publish` is the whole. */
const ROWS =
  '^(503|403 with Retry-After|connection reset after|listing lag 8 min, answer lost|repository archived)$';
const ROUNDS = 50;

// Most of it is waiting, so both parts go on at once.
t.setTimeout(600_000);

async function faults(t: Test, flags: readonly string[]) {
  const child = spawn(process.execPath, ['faults/publish.mjs', ...flags, '--json'], { cwd: ROOT });
  t.teardown(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  t.equal(code, 0, 'all of it holds', { stdout, stderr });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
}

t.test('GitHub at its worst, core killed around it: exactly one issue', async (t) => {
  const [table, kills] = await Promise.all([
    faults(t, ['--rows', ROWS, '--kills', 'before,during,after', '--parallel', '6', '--rounds', '0']),
    faults(t, ['--rows', '', '--rounds', String(ROUNDS)]),
  ]);
  t.match(table, { scenarios: 15, failed: 0, doubled: 0, lost: 0 });
  const { random } = kills;
  t.match(random, { rounds: ROUNDS, kills: ROUNDS, stuck: 0, doubled: 0, lost: 0, differ: 0, bugs: 0 });
  t.comment(`table ${table.seconds} s; kills: ${JSON.stringify(random.where)}, ${kills.seconds} s`);
});
