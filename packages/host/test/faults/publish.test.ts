import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The short form: the rows that were hardest to get right. `npm run faults -- publish` is the whole. */
const ROWS =
  '^(503|403 with Retry-After|connection reset after|listing lag 8 min, answer lost|repository archived)$';
const ROUNDS = 50;

// A minute and a half on two idle cores; most of it is waiting, so a busy machine takes longer.
t.setTimeout(600_000);

t.test('GitHub at its worst, core killed around it: exactly one issue', async (t) => {
  const table = ['--rows', ROWS, '--kills', 'before,during,after', '--parallel', '5'];
  const flags = [...table, '--rounds', String(ROUNDS), '--json'];
  const child = spawn(process.execPath, ['faults/publish.mjs', ...flags], { cwd: ROOT });
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
  t.equal(code, 0, 'every row holds', { stdout, stderr });
  const { scenarios, failed, doubled, lost, random } = JSON.parse(
    stdout.trimEnd().split('\n').at(-1) ?? '{}',
  );
  t.match({ scenarios, failed, doubled, lost }, { scenarios: 15, failed: 0, doubled: 0, lost: 0 });
  t.match(random, { rounds: ROUNDS, kills: ROUNDS, stuck: 0, doubled: 0, lost: 0, differ: 0, bugs: 0 });
  t.comment(`kills: ${JSON.stringify(random.where)}, ${random.seconds} s`);
});
